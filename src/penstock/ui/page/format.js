// Numbers and times as people read them. Exact values stand beside short ones, as titles.

const NUMBER = new Intl.NumberFormat("en");

export const number = (value) => NUMBER.format(value);

export function short(value) {
  const size = Math.abs(value);
  if (size < 10_000) return number(value);
  for (const [unit, sign] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (size >= unit) return `${(value / unit).toFixed(size / unit < 100 ? 1 : 0)} ${sign}`;
  }
  return number(value);
}

export function bytes(value) {
  for (const [unit, sign] of [[2 ** 30, "GB"], [2 ** 20, "MB"], [2 ** 10, "KB"]]) {
    if (value >= unit) return `${(value / unit).toFixed(value / unit < 10 ? 1 : 0)} ${sign}`;
  }
  return `${number(value)} B`;
}

export function span(seconds) {
  const left = Math.max(0, Math.round(seconds));
  if (left < 60) return `${left} s`;
  if (left < 3600) return `${Math.floor(left / 60)} min`;
  if (left < 36_000) return `${Math.floor(left / 3600)} h ${String(Math.floor((left % 3600) / 60)).padStart(2, "0")}`;
  if (left < 172_800) return `${Math.floor(left / 3600)} h`;
  return `${Math.floor(left / 86_400)} days`;
}

export const percent = (part, whole) => {
  if (!whole) return "0 %";
  const value = (100 * part) / whole;
  return `${value > 0 && value < 1 ? "<1" : value < 100 && value > 99 ? ">99" : Math.round(value)} %`;
};

export const time = (seconds) => new Date(seconds * 1000).toLocaleTimeString("en-GB");
export const moment = (seconds) => new Date(seconds * 1000).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });
// Days of the store are those of UTC.
export const dayName = (day) =>
  new Date(day * 86_400_000).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
export const several = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

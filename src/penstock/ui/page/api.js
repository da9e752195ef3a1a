// Requests to the API: with our header, which no other page can send, and with errors as the server words them.

const BASE = new URL("api/", document.baseURI);
const OURS = { "X-Penstock": "ui" };

export class ApiError extends Error {
  constructor(status, error) {
    super(error.what);
    this.status = status;
    this.what = error.what;
    this.do = error.do;
  }
}

async function ask(path, options) {
  let response;
  try {
    response = await fetch(new URL(path, BASE), { ...options, headers: { ...OURS, ...options?.headers } });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, { what: "Penstock does not answer", do: "start penstock ui again, and open the address that it prints" });
  }
  const told = await response.json().catch(() => ({}));
  if (!response.ok) {
    throw new ApiError(response.status, told.error ?? { what: `status ${response.status}`, do: "" });
  }
  return told;
}

export function get(path, query = {}, signal = undefined) {
  const words = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const given = new URLSearchParams(words.map(([name, value]) => [name, String(value)])).toString();
  return ask(given ? `${path}?${given}` : path, { signal });
}

export const post = (path, body) =>
  ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

export const remove = (path) => ask(path, { method: "DELETE" });

export const ofResult = (handle, part = "") => `results/${encodeURIComponent(handle)}${part ? `/${part}` : ""}`;

export async function download(handle, wanted) {
  const { ticket } = await post(ofResult(handle, "downloads"), wanted);
  const link = document.createElement("a");
  link.href = new URL(`download/${encodeURIComponent(ticket)}`, document.baseURI).href;
  link.download = "";
  document.body.append(link);
  link.click();
  link.remove();
}

// A stream of server-sent events, read by fetch, as EventSource can send no header of ours. A tab that is not seen does
// not listen: a browser keeps six connections to a host, for all tabs together.
export async function listen(changed, state) {
  let wait = 500;
  for (;;) {
    await seen();
    const leaving = new AbortController();
    const left = () => document.hidden && leaving.abort();
    document.addEventListener("visibilitychange", left);
    try {
      const response = await fetch(new URL("events", BASE), { headers: OURS, signal: leaving.signal });
      if (!response.ok) throw new ApiError(response.status, { what: "refused", do: "" });
      state(true);
      wait = 500;
      await follow(response.body.pipeThrough(new TextDecoderStream()).getReader(), changed);
    } catch {
      // it is tried again
    }
    document.removeEventListener("visibilitychange", left);
    if (leaving.signal.aborted) continue;
    state(false);
    await new Promise((resolve) => setTimeout(resolve, wait));
    wait = Math.min(wait * 2, 10_000);
  }
}

async function follow(reader, changed) {
  for (let left = ""; ; ) {
    const { value, done } = await reader.read();
    if (done) return;
    const events = (left + value).split("\n\n");
    left = events.pop();
    if (events.some((one) => one.startsWith("event: changed"))) changed();
  }
}

const seen = () =>
  new Promise((resolve) => {
    const look = () => {
      if (document.hidden) return;
      document.removeEventListener("visibilitychange", look);
      resolve();
    };
    document.addEventListener("visibilitychange", look);
    look();
  });

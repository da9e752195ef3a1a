"""The templates of the benchmark: for each, how to read its questions, one SQL text, and the rule that settles it.

The SQL is what a good model writes after it read the notice, so each text answers all questions of its template.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bench.public_parts.rules import (
    Counted,
    CountedTwice,
    Distinct,
    Lookup,
    Outside,
    Selected,
    at_least,
    begins,
    begins_with,
    contains,
    either,
    equals,
    is_text,
    lists,
    never,
    within,
    without,
)

if TYPE_CHECKING:
    from bench.public_parts.rules import Rule, Values

COLOR: Final = "product_attributes.Color"
DEPARTMENT: Final = "product_attributes.Department"
MATERIAL: Final = "product_attributes.Material"
SIZE: Final = "product_attributes.Size"
TRAINER: Final = "product_attributes.Trainer"
TYPE: Final = "product_attributes.Type"
RATING: Final = "product_rating"
PRICE: Final = "offer.price"
DISCOUNT: Final = "offer.coupon_discount_percent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """One template. The groups of ``words`` are the values of a question, which ``{0}`` and ``{1}`` of the SQL take."""

    words: str
    sql: str
    settled: Rule

    def values(self, question: str) -> Values:
        """Return the values of a question."""
        found = re.search(self.words, question)
        if found is None:
            raise ValueError(f"the question does not follow its template: {question}")
        return found.groups()

    def query(self, question: str) -> str:
        """Return the SQL for a question."""
        return self.sql.format(*(value.replace("'", "''") for value in self.values(question)))


TEMPLATES: Final[dict[str, Template]] = {
    "GetFormType": Template(
        words=r"accession number ([\d-]+)\?",
        sql="SELECT formType FROM items WHERE accessionNumber = '{0}'",
        settled=Lookup(key="accessionNumber", column="formType"),
    ),
    "GetFilingDate": Template(
        words=r"accession number ([\d-]+)\?",
        sql="SELECT date(filingDate) FROM items WHERE accessionNumber = '{0}'",
        settled=Lookup(key="accessionNumber", column="filingDate", length=len("2023-03-16")),
    ),
    "GetFilingName": Template(
        words=r"accession number is ([\d-]+)\.",
        sql="SELECT name FROM items WHERE accessionNumber = '{0}'",
        settled=Lookup(key="accessionNumber", column="name"),
    ),
    "FilingsInAYear": Template(
        words=r"year (\d+)\?",
        sql="SELECT count(*) FROM items WHERE filingDate LIKE '{0}-%'",
        settled=either(
            Counted(column="filingDate", meets=begins(0)),
            Outside(
                column="filingDate",
                low=lambda values: float(values[0]),
                high=lambda values: float(values[0]),
            ),
        ),
    ),
    "FilingsOfSpecificFormType": Template(
        words=r"form type (.+)\.$",
        sql="SELECT count(*) FROM items WHERE formType = '{0}'",
        settled=Counted(column="formType", meets=equals(0), is_exact=True),
    ),
    "FilingsOfSpecificName": Template(
        words=r"the name (.+)\.$",
        sql="SELECT count(*) FROM items WHERE name = '{0}'",
        settled=Counted(column="name", meets=equals(0), is_exact=True),
    ),
    "FilingsWithNameAndType": Template(
        words=r"having name (.+) and form type (.+)\?$",
        sql="SELECT count(*) FROM items WHERE name = '{0}' AND formType = '{1}'",
        settled=CountedTwice(
            one=Counted(column="name", meets=equals(0), is_exact=True),
            other=Counted(column="formType", meets=equals(1), is_exact=True),
        ),
    ),
    "FilingsAccordingToFilingDateAndPeriod": Template(
        words=r"within (\d+) to (\d+) days",
        sql="SELECT count(*) FROM items WHERE julianday(filingDate) - julianday(period) BETWEEN {0} AND {1}",
        settled=never,
    ),
    "FormTypes": Template(
        words="",
        sql="SELECT DISTINCT formType FROM items",
        settled=Distinct(column="formType"),
    ),
    "AccessionNumberAsPerFormTypeAndDate": Template(
        words=r"in year (\d+) which are of form type (.+?)\. Output",
        sql="SELECT accessionNumber FROM items WHERE filingDate LIKE '{0}-%' AND formType = '{1}'",
        settled=Selected(
            column="accessionNumber",
            conditions={"filingDate": begins(0), "formType": equals(1)},
            narrow={"formType": 1},
        ),
    ),
    "AccessionNumberAsPerSameDate": Template(
        words="",
        sql="SELECT accessionNumber FROM items WHERE filingDate = period",
        settled=Selected(column="accessionNumber", same=("filingDate", "period")),
    ),
    "FilingsName": Template(
        words="",
        sql="SELECT DISTINCT name FROM items",
        settled=Distinct(column="name"),
    ),
    "AccessionNumberAsPerDateName": Template(
        words=r"under the name (.+) and are filed in the year (\d+)\.",
        sql="SELECT accessionNumber FROM items WHERE name = '{0}' AND filingDate LIKE '{1}-%'",
        settled=Selected(
            column="accessionNumber",
            conditions={"name": equals(0), "filingDate": begins(1)},
            narrow={"name": 0},
        ),
    ),
    "GetShoeDepartment": Template(
        words=r"with ID (\d+) ",
        sql=f"SELECT \"{DEPARTMENT}\" FROM items WHERE product_id = '{{0}}'",
        settled=Lookup(key="product_id", column=DEPARTMENT),
    ),
    "GetProductRating": Template(
        words=r"with ID (\d+)\?",
        sql="SELECT product_rating FROM items WHERE product_id = '{0}'",
        settled=Lookup(key="product_id", column=RATING),
    ),
    "GetProductTitle": Template(
        words=r"with ID (\d+)\?",
        sql="SELECT product_title FROM items WHERE product_id = '{0}'",
        settled=Lookup(key="product_id", column="product_title"),
    ),
    "ShoeColours": Template(
        words=r"available in (.+) colour",
        sql=f"SELECT count(*) FROM items WHERE \"{COLOR}\" LIKE '%{{0}}%'",
        settled=Counted(column=COLOR, meets=contains(0)),
    ),
    "ShoesInEachDepartment": Template(
        words=r"are for (\w+)\.",
        sql=f"SELECT count(*) FROM items WHERE instr(\"{DEPARTMENT}\", '{{0}}') > 0",
        settled=Counted(column=DEPARTMENT, meets=contains(0)),
    ),
    "ShoeSize": Template(
        words=r"present in (.+)\?",
        sql=f"SELECT count(*) FROM items WHERE ', ' || \"{SIZE}\" || ',' LIKE '%, {{0}},%'",
        settled=Counted(column=SIZE, meets=lists(0)),
    ),
    "ShoeMaterialType": Template(
        words=r"made up of (.+) and type (.+)\?",
        sql=f"SELECT count(*) FROM items WHERE \"{MATERIAL}\" LIKE '%{{0}}%' AND \"{TYPE}\" = '{{1}}'",
        settled=CountedTwice(
            one=Counted(column=MATERIAL, meets=lists(0)),
            other=Counted(column=TYPE, meets=equals(1), is_exact=True),
        ),
    ),
    "OfferedProductPrice": Template(
        words=r"between (\d+) and (\d+) dollars",
        sql=(
            f"SELECT count(*) FROM items WHERE CAST(replace(replace(\"{PRICE}\", '$', ''), ',', '') AS REAL) "
            "BETWEEN {0} AND {1}"
        ),
        settled=either(
            Counted(column=PRICE, meets=within(0, 1)),
            Outside(column=PRICE, low=lambda values: float(values[0]), high=lambda values: float(values[1])),
        ),
    ),
    "ShoesInMultipleColours": Template(
        words=r"in (\d+) colour",
        sql=(
            f"SELECT product_id FROM items "
            f"WHERE length(\"{COLOR}\") - length(replace(\"{COLOR}\", ',', '')) + 1 = {{0}}"
        ),
        settled=never,
    ),
    "GetShoesColorsAsPerDeptAndRating": Template(
        words=r"which (\w+) shoes .+ rating of ([\d.]+) and",
        sql=(
            f'SELECT "{COLOR}" FROM items WHERE instr("{DEPARTMENT}", \'{{0}}\') > 0 AND product_rating >= {{1}} '
            f'AND "{COLOR}" IS NOT NULL'
        ),
        settled=Selected(column=COLOR, conditions={DEPARTMENT: contains(0), RATING: at_least(1)}),
    ),
    "ShoesOnSaleAndFreeDelivery": Template(
        words="",
        sql='SELECT "offer.offer_id" FROM items WHERE "offer.on_sale" = true AND "offer.shipping" LIKE \'Free%\'',
        settled=Selected(
            column="offer.offer_id",
            conditions={"offer.on_sale": is_text("true"), "offer.shipping": begins_with("Free")},
        ),
    ),
    "ProductsIDsHavingDiscount": Template(
        words=r"between (\d+)% and (\d+)%",
        sql=(
            f"SELECT product_id FROM items WHERE \"{DISCOUNT}\" LIKE '%off' "
            f'AND CAST("{DISCOUNT}" AS INTEGER) BETWEEN {{0}} AND {{1}}'
        ),
        settled=Selected(column="product_id", conditions={DISCOUNT: within(0, 1)}),
    ),
    "GetProductIdOfTrainerShoes": Template(
        words=r"don't belong to (\w+)\..+rating is ([\d.]+) and",
        sql=(
            f"SELECT product_id FROM items WHERE \"{TRAINER}\" = 'Yes' AND instr(\"{DEPARTMENT}\", '{{0}}') = 0 "
            "AND product_rating >= {1}"
        ),
        settled=Selected(
            column="product_id",
            conditions={TRAINER: is_text("Yes"), DEPARTMENT: without(0), RATING: at_least(1)},
        ),
    ),
}

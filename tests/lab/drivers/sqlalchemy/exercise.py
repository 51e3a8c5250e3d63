# SPDX-License-Identifier: GPL-2.0-or-later
"""SQLAlchemy with python-oracledb: ../README.md describes what this program does."""

import datetime
import json
import sys
from decimal import Decimal

import sqlalchemy as sa
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

HOST, PORT, SERVICE = sys.argv[1:4]
SECTIONS = sys.argv[6:]
DAY = datetime.datetime(2024, 7, 1, 12, 34, 56)


def check(name: str, got: object, want: object) -> None:
    wrong = "" if got == want else f"{got!r}, not {want!r}"
    print(json.dumps({"check": name, "wrong": wrong[:500]}), flush=True)


class Base(DeclarativeBase):  # type: ignore[misc]
    """What is mapped."""


class Person(Base):
    """A table with the types that applications use."""

    __tablename__ = "people"
    id: Mapped[int] = mapped_column(sa.Integer, primary_key=True, autoincrement=False)
    name: Mapped[str] = mapped_column(sa.String(30), nullable=False, index=True)
    email: Mapped[str] = mapped_column(sa.String(60), unique=True)
    pay: Mapped[Decimal | None] = mapped_column(sa.Numeric(9, 2))
    since: Mapped[datetime.datetime | None] = mapped_column(sa.DateTime)
    about: Mapped[str | None] = mapped_column(sa.Text)
    picture: Mapped[bytes | None] = mapped_column(sa.LargeBinary)


def person(n: int) -> Person:
    return Person(
        id=n,
        name=f"name {n:03d}",
        email=f"{n}@é.example",
        pay=Decimal(n) / 4,
        since=DAY,
        about="é€" * n or None,
        picture=bytes([n]) * (100 + n) if n else None,
    )


def check_batches(engine: sa.Engine) -> None:
    with Session(engine) as session:
        session.add_all([person(n) for n in range(100)])
        session.commit()
    with Session(engine) as session:
        people = session.scalars(sa.select(Person).order_by(Person.id)).all()
        got = [(p.name, p.email, p.pay, p.since, p.about, p.picture) for p in people]
        some = [person(n) for n in range(100)]
        want = [(p.name, p.email, p.pay, p.since, p.about, p.picture) for p in some]
        check("what was inserted", got == want, True)
        people[7].name = "changed"
        session.delete(people[9])
        session.commit()
        check("changed", session.get_one(Person, 7).name, "changed")
        check("deleted", session.get(Person, 9), None)
        count = session.scalar(sa.select(sa.func.count()).select_from(Person))
        check("count", count, 99)
        session.add(person(7))
        try:
            session.commit()
            check("a duplicate", "done", "")
        except sa.exc.IntegrityError as error:
            check("a duplicate", "ORA-00001" in str(error), True)


def check_fetches(engine: sa.Engine) -> None:
    ids = sa.select(Person.id).order_by(Person.id)
    with engine.begin() as connection:
        connection.execute(sa.delete(Person))
        rows = [{"id": n, "name": "x", "email": str(n)} for n in range(50)]
        connection.execute(sa.insert(Person), rows)
        for limit, offset in ((5, 0), (5, 10), (10, 45), (1, 49), (3, 60)):
            got = connection.scalars(ids.limit(limit).offset(offset)).all()
            check(f"limit {limit} offset {offset}", got, list(range(50))[offset : offset + limit])
        both = sa.union_all(ids.where(Person.id < 2).order_by(None), sa.select(sa.literal(99)))
        check("a union", sorted(connection.scalars(both).all()), [0, 1, 99])
        streamed = connection.execution_options(yield_per=7).scalars(ids)
        check("streamed", list(streamed), list(range(50)))


def check_returning(engine: sa.Engine) -> None:
    with engine.begin() as connection:
        connection.execute(sa.delete(Person))
        insert = sa.insert(Person).returning(Person.id, Person.name)
        added = connection.execute(insert, {"id": 1, "name": "one", "email": "1"}).all()
        check("inserted", [tuple(row) for row in added], [(1, "one")])
        change = sa.update(Person).where(Person.id == 1).values(name="two").returning(Person.name)
        check("updated", connection.scalars(change).all(), ["two"])


def check_metadata(engine: sa.Engine) -> None:
    about = sa.inspect(engine)
    check("tables", "people" in about.get_table_names(), True)
    check("has table", (about.has_table("people"), about.has_table("nobody")), (True, False))
    columns = {c["name"]: (repr(c["type"]), c["nullable"]) for c in about.get_columns("people")}
    check(
        "columns",
        columns,
        {
            "id": ("INTEGER()", False),
            "name": ("VARCHAR(length=30)", False),
            "email": ("VARCHAR(length=60)", False),
            "pay": ("NUMBER(precision=9, scale=2, asdecimal=True)", True),
            "since": ("DATE()", True),
            "about": ("CLOB()", True),
            "picture": ("BLOB()", True),
        },
    )
    check("key", about.get_pk_constraint("people")["constrained_columns"], ["id"])
    unique = [c["column_names"] for c in about.get_unique_constraints("people")]
    check("unique", unique, [["email"]])
    indexes = {index["name"]: index["column_names"] for index in about.get_indexes("people")}
    check("indexes", indexes.get("ix_people_name"), ["name"])
    check("foreign keys", about.get_foreign_keys("people"), [])
    reflected = sa.MetaData()
    reflected.reflect(engine)
    check("reflected", [c.name for c in reflected.tables["people"].columns], list(columns))
    check("views", about.get_view_names(), [])


CHECKS = {
    "batches": check_batches,
    "fetches": check_fetches,
    "returning": check_returning,
    "metadata": check_metadata,
}


def main() -> None:
    engine = sa.create_engine(
        f"oracle+oracledb://scott:tiger@{HOST}:{PORT}/?service_name={SERVICE}"
    )
    Base.metadata.create_all(engine)
    for section in SECTIONS:
        print(json.dumps({"section": section}), flush=True)
        if section in CHECKS:
            CHECKS[section](engine)
    Base.metadata.drop_all(engine)
    check("dropped", sa.inspect(engine).has_table("people"), False)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes one large HAR document that holds the entries of a folder's HAR files over and over.

    repeat.py FOLDER OUT [--megabytes 1000] [--pages runs|same|none]

The entries' text is copied as it stands in the files, so that the document is as densely or as loosely written as what
browsers and proxies export. `--pages runs` (the default) makes each repetition a run of its own: its pages, and the
entries' references to them, get a prefix. `same` leaves the references as they are, so that each page grows with the
document; `none` removes the list of pages as well. Files that are not HAR are left out.
"""
import argparse
import json
import pathlib
import re

PAGE_REFERENCE = re.compile(r'("pageref"\s*:\s*")')


def parts(text):
    """The texts of a document's entries, and its pages as values."""
    document = json.loads(text)
    log = document.get("log") or next(
        (value["log"] for value in document.values() if isinstance(value, dict) and "log" in value), None)
    if log is None:
        return ([text], []) if "request" in document else ([], [])
    if not isinstance(log.get("entries"), list):
        return [], []
    decoder = json.JSONDecoder()
    position = text.index("[", re.search(r'"entries"\s*:', text).end()) + 1
    entries = []
    for _ in log["entries"]:
        while text[position] in " \t\r\n,":
            position += 1
        _, end = decoder.raw_decode(text, position)
        entries.append(text[position:end])
        position = end
    pages = log.get("pages")
    return entries, [page for page in pages or [] if isinstance(page, dict)] if isinstance(pages, list) else []


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("out", type=pathlib.Path)
    arguments.add_argument("--megabytes", type=int, default=1000)
    arguments.add_argument("--pages", choices=["runs", "same", "none"], default="runs")
    options = arguments.parse_args()
    files = []
    for path in sorted(options.folder.glob("*.har")):
        text = path.read_text("utf-8-sig", errors="replace").strip()
        call = re.match(r"[\w.$]+\s*\((.*)\)\s*;?$", text, re.DOTALL)
        try:
            files.append(parts(call[1] if call else text))
        except ValueError:
            continue
    run = 0
    pages = []
    with options.out.open("w", encoding="utf-8", newline="") as out:
        written = out.write('{"log": {"version": "1.2", "creator": {"name": "repeat", "version": "1"}, "entries": [')
        separator = "\n"
        while written < options.megabytes * 1_000_000:
            for number, (entries, own) in enumerate(files):
                prefix = f"{run}-{number}-" if options.pages == "runs" else ""
                for entry in entries:
                    if prefix:
                        entry = PAGE_REFERENCE.sub(lambda found: found[1] + prefix, entry, count=1)
                    written += out.write(separator) + out.write(entry)
                    separator = ",\n"
                if options.pages == "runs" or run == 0:
                    pages += [{**page, "id": prefix + str(page.get("id", ""))} for page in own]
            run += 1
        out.write("\n]")
        if options.pages != "none":
            out.write(',\n"pages": ' + json.dumps(pages, ensure_ascii=False))
        out.write("}}\n")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: GPL-2.0-or-later
"""What a build of the program consists of, as an SPDX 2.3 document: its own code, what the compiler
put into it, the libraries that the loader brings, and those that it opens itself.

Versions are those of the machine that built it.
"""

from __future__ import annotations

import json
import os
import platform
import re
import urllib.parse
from typing import TYPE_CHECKING, Any, NamedTuple

from .build import SOURCE, contents, os_release, output

if TYPE_CHECKING:
    from .package import Release

LICENSE = "GPL-2.0-or-later"
# By the beginning of the name; the licence of what is not here is not asserted.
LICENSES = {
    "chart.js": "MIT",
    "ck": "BSD-2-Clause",
    "libaio": "LGPL-2.1-or-later",
    "libc.": "LGPL-2.1-or-later",
    "libm.": "LGPL-2.1-or-later",
    "libdw": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libluajit": "MIT",
    "libmariadb": "LGPL-2.1-or-later",
    "libmicrohttpd": "LGPL-2.1-or-later",
    "libpfm": "MIT",
    "libpq": "PostgreSQL",
}
RELATION = {"linked": "DYNAMIC_LINK", "opened": "OPTIONAL_DEPENDENCY_OF", "built in": "STATIC_LINK"}


class Part(NamedTuple):
    way: str  # a key of RELATION
    soname: str  # "" of what is built in
    name: str  # of the package here, if a package manager knows it
    version: str
    purl: str

    @property
    def license(self) -> str:
        name = self.soname or self.name
        return next((v for k, v in LICENSES.items() if name.startswith(k)), "NOASSERTION")


def purl(kind: str, name: str, version: str) -> str:
    """A package of this distribution."""
    quoted = urllib.parse.quote(version, safe="~")
    return "pkg:%s/%s/%s@%s" % (kind, os_release("ID") or "linux", name, quoted)


def package_of(way: str, soname: str, path: str) -> Part:
    """By dpkg or rpm; a library that neither knows keeps its own name."""
    real = os.path.realpath(path) if path else ""
    merged = re.sub("^/usr(?=/lib)", "", real)  # dpkg may know it by the old name of its directory
    for file in filter(None, (path, real, merged)):
        found = output("dpkg-query", "-S", file)
        if found:
            package = found.split(": ")[0]
            name = package.split(":")[0]
            version = output("dpkg-query", "-W", "-f", "${Version}", package)
            return Part(way, soname, name, version, purl("deb", name, version))
    found = output("rpm", "-qf", "--qf", "%{NAME} %{VERSION}-%{RELEASE}", real) if real else ""
    if found and " is not owned" not in found:
        name, version = found.split(" ")[:2]
        return Part(way, soname, name, version, purl("rpm", name, version))
    return Part(way, soname, soname, "", "")


def opened() -> list[str]:
    """The libraries that the program opens when an option asks for them."""
    found = set()
    for directory in ("profile", "report", "telemetry"):
        where = os.path.join(SOURCE, "src", directory)
        for name in os.listdir(where):
            if name.endswith(".c") and not name.endswith("_test.c"):
                text = contents(os.path.join(where, name))
                found |= set(re.findall(r'library_load\("(\S+)"', text))
    return sorted(found)


def shared(way: str, sonames: list[str]) -> list[Part]:
    """Those that this machine's loader knows, with their packages."""
    pairs = re.findall(r"(\S+) \(libc6,[^)]*\) => (\S+)", output("/sbin/ldconfig", "-p"))
    where: dict[str, str] = dict(reversed(pairs))
    return [package_of(way, name, where.get(name, "")) for name in sonames]


def libraries(program: str) -> list[Part]:
    needed = re.findall(r"\(NEEDED\).*\[(lib\S+)\]", output("readelf", "-d", program))
    parts = shared("linked", needed) + shared("opened", opened())
    version = output("pkg-config", "--modversion", "ck")
    parts.append(Part("built in", "", "ck", version, "pkg:github/concurrencykit/ck@" + version))
    said = re.search(r"Chart\.js: ([\d.]+)", output(program, "--version", "--verbose"))
    if said:
        version = said.group(1)
        parts.append(Part("built in", "", "chart.js", version, "pkg:npm/chart.js@" + version))
    return parts


def glibc(program: str) -> str:
    """The oldest that has all symbols."""
    found = re.findall(r"GLIBC_(\d+)\.(\d+)", output("objdump", "-T", program))
    return "%d.%d" % max((int(a), int(b)) for a, b in found) if found else "?"


def entry(number: int, part: Part) -> dict[str, Any]:
    made: dict[str, Any] = {
        "SPDXID": "SPDXRef-Part-%d" % number,
        "name": part.name,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": part.license,
        "copyrightText": "NOASSERTION",
        "comment": part.way + (": " + part.soname if part.soname else ""),
    }
    if part.version:
        made["versionInfo"] = part.version
    if part.purl:
        reference = {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl"}
        made["externalRefs"] = [dict(reference, referenceLocator=part.purl)]
    return made


def document(version: str, created: str, digest: str, parts: list[Part]) -> dict[str, Any]:
    """`digest` is that of the source, `created` in the form of ISO 8601."""
    own = "SPDXRef-sysbench-tx"
    packages = [
        {
            "SPDXID": own,
            "name": "sysbench-tx",
            "versionInfo": version,
            "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False,
            "licenseConcluded": LICENSE,
            "licenseDeclared": LICENSE,
            "copyrightText": "NOASSERTION",
            "checksums": [{"algorithm": "SHA256", "checksumValue": digest}],
            "primaryPackagePurpose": "APPLICATION",
        }
    ]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", own)]
    for number, part in enumerate(parts, 1):
        made = entry(number, part)
        packages.append(made)
        pair = (own, made["SPDXID"])
        from_, to = reversed(pair) if RELATION[part.way].endswith("_OF") else pair
        relations.append((from_, RELATION[part.way], to))
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": "sysbench-tx-%s-linux-%s" % (version, platform.machine()),
        "documentNamespace": "urn:sysbench-tx:%s:%s" % (version, digest),
        "creationInfo": {"created": created, "creators": ["Tool: scripts/package"]},
        "packages": packages,
        "relationships": [
            {"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b}
            for a, kind, b in relations
        ],
    }


def write(r: Release, program: str, digest: str) -> None:
    """Beside the packages, of the program in the tarball."""
    made = document(r.version, r.date("%Y-%m-%dT%H:%M:%SZ"), digest, libraries(program))
    path = os.path.join(r.out, "sysbench-tx-%s.spdx.json" % r.version)
    with open(path, "w") as f:
        json.dump(made, f, indent=2)
        f.write("\n")

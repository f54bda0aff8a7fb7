# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/package: versions, changelog, comparison, list of parts, and what says why nothing was
built.  Packages themselves are built and tried by hand: scripts/package --test."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
import tempfile
import unittest

from sysbench_lab import owned

from . import package, package_sbom
from .build import SOURCE, contents
from .package_sbom import Part

EPOCH = 1795764682  # 2026-11-27
DOCUMENT = "SPDXRef-DOCUMENT"
PARTS = [
    Part("linked", "libpq.so.5", "libpq5", "15.18-0+deb12u1", "pkg:deb/libpq5@15.18-0+deb12u1"),
    Part("linked", "libfoo.so.1", "libfoo.so.1", "", ""),
    Part("opened", "libdw.so.1", "libdw1", "0.188-2.1", "pkg:deb/libdw1@0.188-2.1"),
    Part("built in", "", "ck", "0.7.1", "pkg:github/concurrencykit/ck@0.7.1"),
]


def a_release(directory: str, version: str = "1.2.0+git20261127.abc") -> package.Release:
    out, work = os.path.join(directory, "out"), os.path.join(directory, "work")
    os.makedirs(out)
    os.makedirs(work)
    return package.Release("1.2.0", version, EPOCH, out, work, dict(os.environ))


class Package(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        self.r = a_release(self.directory)

    def test_changelog(self) -> None:
        text = "unreleased\n\n  * x\n\n2026-11-22  version 1.2.0\n\n2026-10-01  version 1.1.0\n"
        made = package.debian_changelog(self.r, "A <a@b.example>", text)
        heads = re.findall(r"^sysbench-tx \((\S+)\) unstable; urgency=medium$", made, re.M)
        self.assertEqual(heads, ["1.2.0+git20261127.abc-1", "1.2.0-1", "1.1.0-1"])
        self.assertIn("\n -- A <a@b.example>  Sun, 22 Nov 2026 00:00:00 +0000\n", made)
        released = text.partition("\n\n  * x\n\n")[2]
        made = package.debian_changelog(
            self.r._replace(version="1.2.0"), "A <a@b.example>", released
        )
        self.assertTrue(made.startswith("sysbench-tx (1.2.0-1) "))
        self.assertEqual(made.count("urgency"), 2)

    def test_a_bare_system_is_found_from_where_it_was_named(self) -> None:
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.directory)
        for given, made in (("out", os.path.join(os.getcwd(), "out")), ("debian:x", "debian:x")):
            a = package.parse(["container", "--base-image=" + given], "scripts/package")
            self.assertEqual(a.base_image, made)

    def test_only_what_it_has_made_is_emptied(self) -> None:
        for name in ("packages", "work"):
            where = os.path.join(self.directory, "of", name)
            os.makedirs(where)
            precious = os.path.join(where, "precious")
            with open(precious, "w"):
                pass
            with contextlib.redirect_stderr(io.StringIO()) as said:
                self.assertEqual(package.launch(["deb", "--dir=" + os.path.dirname(where)], ""), 1)
            self.assertIn(where + ", of ", said.getvalue())
            self.assertIn(" and is not removed: remove it yourself", said.getvalue())
            self.assertTrue(os.path.exists(precious))
            os.unlink(precious)
        owned.fresh(where)
        with open(precious, "w"):
            pass
        owned.fresh(where)
        self.assertEqual(package.packages(where), [])
        self.assertFalse(os.path.exists(precious))

    def test_differences(self) -> None:
        directories = [os.path.join(self.directory, name) for name in "12"]
        for directory, names in zip(directories, ("a.deb b.rpm c", "a.deb b.rpm")):
            os.mkdir(directory)
            with open(os.path.join(directory, "SHA256SUMS"), "w") as f:
                for name in names.split():
                    text = name if name == "a.deb" else directory
                    f.write("%s  %s\n" % (hashlib.sha256(text.encode()).hexdigest(), name))
        found = package.differences(*directories)
        self.assertEqual(found, ["b.rpm differs", "c was made only once"])

    def test_what_the_command_line_cannot_have_is_refused(self) -> None:
        for argv, why in (
            ("dep", "no package 'dep'"),
            ("--suite=noble", "--suite is of --test"),
            ("--test --suite=noble,nobel", "debootstrap knows no release 'nobel'"),
        ):
            with contextlib.redirect_stderr(io.StringIO()) as err, self.assertRaises(SystemExit):
                package.parse(argv.split(), "")
            self.assertIn(why, err.getvalue())

    def test_both_kinds_of_package_recommend_what_the_program_opens(self) -> None:
        control = contents(os.path.join(SOURCE, "packaging", "debian", "control"))
        spec = contents(os.path.join(SOURCE, "packaging", "sysbench-tx.spec"))
        names = package_sbom.opened()
        self.assertTrue(names)
        for soname in names:
            self.assertIn(soname + "()(64bit)", spec)
            self.assertIn(soname.replace(".so.", ""), control)


class PartsList(unittest.TestCase):
    def test_document(self) -> None:
        """The members that SPDX 2.3 demands, and the form of their values."""
        document = package_sbom.document("1.2.0", "2026-11-27T08:31:22Z", "a" * 64, PARTS)
        made = json.loads(json.dumps(document))
        self.assertEqual([made[k] for k in ("spdxVersion", "SPDXID")], ["SPDX-2.3", DOCUMENT])
        self.assertRegex(made["documentNamespace"], r"^[a-z]+:[^#\s]+$")
        for creator in made["creationInfo"]["creators"]:
            self.assertRegex(creator, "^(Tool|Person|Organization): .")
        for part in made["packages"]:
            self.assertRegex(part["SPDXID"], r"^SPDXRef-[A-Za-z0-9.-]+$")
            for member in ("name", "downloadLocation", "licenseConcluded", "licenseDeclared"):
                self.assertTrue(part[member], member)
            self.assertIs(part["filesAnalyzed"], False)
        _, pq, foo, *_ = made["packages"]
        known = pq["versionInfo"], pq["licenseDeclared"]
        self.assertEqual(known, ("15.18-0+deb12u1", "PostgreSQL"))
        self.assertEqual(pq["externalRefs"][0]["referenceLocator"], PARTS[0].purl)
        self.assertEqual(foo["licenseDeclared"], "NOASSERTION")
        self.assertNotIn("versionInfo", foo)
        ids = {part["SPDXID"] for part in made["packages"]} | {DOCUMENT}
        rows = made["relationships"]
        ends = {row[k] for row in rows for k in ("spdxElementId", "relatedSpdxElement")}
        self.assertEqual((len(ids), ends), (len(PARTS) + 2, ids))
        kinds = "DESCRIBES DYNAMIC_LINK DYNAMIC_LINK OPTIONAL_DEPENDENCY_OF STATIC_LINK"
        self.assertEqual(" ".join(row["relationshipType"] for row in rows), kinds)

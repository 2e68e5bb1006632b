# SPDX-License-Identifier: Apache-2.0
"""What .packaging/release makes is the same bytes in another directory, signed with a key made here, and each piece does what
it is for: programs answer the conformance vectors as the library that is built here does, and print what those for this
machine print; the image, the manifests, the package for Node and the page are used as their users do. A program for another
processor or system runs under qemu or wine where that is here; otherwise it is SKIPPED, as those for macOS always are.

    release_test.py BUILD_ROOT SOURCE_ROOT [TARGET...]
"""

import filecmp
import gzip
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

import yaml

BUILD = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(sys.argv[2]).resolve()
HERE = "linux-x86_64"
TARGETS = sys.argv[3:] or [HERE, "linux-arm64", "windows-x86_64"]
# By target, what runs its programs.
RUNNERS = {HERE: [], "linux-arm64": ["qemu-aarch64"], "windows-x86_64": ["wine"]}
# What else the command line is asked in examples/, with one line to read from stdin.
QUESTIONS = [
    ["version"], ["man"], ["help", "check"], ["nonsense"],
    *(["check", "SchedulingPolicy.yaml", "PodSchedulingPolicy.yaml", "--for", "web.yaml", *more]
      for more in ([], ["-o", "json"], ["-o", "sarif"], ["-o", "junit"], ["-o", "github"])),
    ["check", "SchedulingPolicy.yaml", "--for", "-"], ["check", "there-is-none.yaml", "--for", "web.yaml"], ["check", ".", "--for", "web.yaml"],
    ["explain", "SchedulingPolicy.yaml", "--for", "web.yaml"], ["lint", "SchedulingPolicy.yaml"], ["test", "PolicyTest.yaml"],
    ["diff", "SchedulingPolicy.yaml", "PodSchedulingPolicy.yaml"], ["merge", "SchedulingPolicy.yaml"], ["suggest", "web.yaml"],
    ["export", "SchedulingPolicy.yaml"]]
SAID_TO_IT = b'{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {}}\r\n'
# wine has a Windows of its own, and does not speak of what that lacks.
ENVIRONMENT = dict(os.environ, WINEPREFIX=str(BUILD / "wine"), WINEDEBUG="-all", WINEDLLOVERRIDES="mscoree=;mshtml=", LC_ALL="C.UTF-8")
CHROMIUM = "/usr/bin/chromium"
problems = []


def expect(holds, text):
    if not holds:
        problems.append(text)


def has(tool, for_what):
    if shutil.which(tool) is None:
        print(f"SKIPPED {for_what}: there is no {tool}")
        return False
    return True


def make(directory, targets, *options):
    subprocess.run([ROOT / ".packaging" / "release", directory, "--target", ",".join(targets), "--tools", BUILD / "release", *options], check=True)


def unpack(archive, directory):
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(directory)
    else:
        with tarfile.open(archive) as packed:
            packed.extractall(directory)
    return directory / archive.name.removesuffix(".zip").removesuffix(".tar.gz")


def replies(command):
    """To all conformance vectors."""
    return [subprocess.run(command, stdin=vectors.open("rb"), capture_output=True, check=True, env=ENVIRONMENT).stdout
            for vectors in sorted((ROOT / "tests" / "conformance").glob("*.jsonl"))]


def answers(command):
    """What the command line says, and how it ends."""
    done = [subprocess.run([*command, *words], input=SAID_TO_IT, capture_output=True, check=False, env=ENVIRONMENT,
                           cwd=ROOT / "examples" / "reference") for words in QUESTIONS]
    return [(each.returncode, each.stdout, each.stderr) for each in done]


def program(folder, name):
    """Where an archive that was unpacked has it."""
    found, = folder.rglob(f"{name}*" if "windows" in folder.name else f"bin/{name}")
    return found


def check_second_run(first, second):
    """In another directory and for one target alone it makes the same bytes, but where all targets are listed."""
    names = {file.name for file in first.iterdir() if not any(target in file.name for target in set(TARGETS) - {HERE})}
    expect(names == {file.name for file in second.iterdir()}, "two runs make different files")
    lists = {name for name in names if name.startswith("SHA256SUMS") or name.endswith((".krew.yaml", ".rb", ".spdx.json"))}
    for name in names - lists:
        if name.endswith("-oci.tar"):
            blobs, others = (set(entries(made / name)) for made in (first, second))
            expect(len(others - blobs) == 1, f"{name}: two runs make different images")  # besides the list of architectures
        else:
            expect(filecmp.cmp(first / name, second / name, shallow=False), f"{name}: two runs make different bytes")


def check_programs(folder, target, expected, said):
    expect((folder / "LICENSE").exists(), f"{target}: has no LICENSE")
    if "windows" not in target:
        expect((folder / "share/man/man1/schedpol.1").read_bytes().startswith(b".TH"), f"{target}: has no man page")
    runner = RUNNERS.get(target)
    if runner is None:
        print(f"SKIPPED {target}: nothing here runs its programs")
        return
    if not all(has(word, target) for word in runner):
        return
    expect(replies([*runner, program(folder, "evaluate")]) == expected, f"{target}: evaluate answers otherwise than the library here")
    for words, mine, others in zip(QUESTIONS, said, answers([*runner, program(folder, "schedpol")])):
        expect(mine == others, f"{target}: schedpol {' '.join(words)}: {others}\n  on {HERE} it is {mine}")


def entries(archive):
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive) as packed:
            return packed.namelist()
    with tarfile.open(archive) as packed:
        return packed.getnames()


def check_lists(made, sums):
    """krew and Homebrew name each file with its sum, and what is in it."""
    named = []
    for platform in yaml.safe_load((made / "schedpol.krew.yaml").read_text())["spec"]["platforms"]:
        files = [file["from"] for file in platform["files"]]
        expect(platform["bin"] in {pathlib.PurePosixPath(file).name for file in files}, f"krew: installs no {platform['bin']}")
        named.append((platform["uri"], platform["sha256"], files))
    expect(len(named) == len(TARGETS), f"krew: has {len(named)} platforms")
    formula = (made / "schedpol.rb").read_text()
    installed = re.findall(r'(?:bin|man1|_completion)\.install "(.+)"', formula)
    expect(len(installed) == 5, f"Homebrew: installs {installed}")
    for uri, digest in re.findall(r'url "(.+)"\n +sha256 "(.+)"', formula):
        folder = pathlib.PurePosixPath(uri).name.removesuffix(".tar.gz")
        named.append((uri, digest, [f"{folder}/{file}" for file in installed]))
    expect(len(named) == len(TARGETS) + sum("windows" not in target for target in TARGETS), "Homebrew: lacks a target")
    for uri, digest, files in named:
        name = pathlib.PurePosixPath(uri).name
        expect(sums.get(name) == digest, f"{uri}: has another sum than {name}")
        expect(set(files) <= set(entries(made / name)), f"{name}: has not all of {files}")


def check_image(archive, folders, directory):
    """Each architecture starts the program of its target."""
    if not has("skopeo", archive.name):
        return
    for target, architecture in (("linux-x86_64", "amd64"), ("linux-arm64", "arm64")):
        copy = directory / f"image-{architecture}"
        subprocess.run(["skopeo", "--override-arch", architecture, "copy", "--quiet", f"oci-archive:{archive}", f"dir:{copy}"], check=True)
        manifest = json.loads((copy / "manifest.json").read_text())
        configuration = json.loads((copy / manifest["config"]["digest"].removeprefix("sha256:")).read_text())
        with tarfile.open(copy / manifest["layers"][0]["digest"].removeprefix("sha256:")) as layer:
            entry, = configuration["config"]["Entrypoint"]
            started = layer.getmember(entry.lstrip("/"))
            expect(layer.extractfile(started).read() == program(folders[target], "schedpol").read_bytes(),
                   f"{archive.name}: starts something else for {architecture} than the program of {target}")
        expect(configuration["architecture"] == architecture and started.mode == 0o755, f"{archive.name}: {configuration}")


def check_manifests(made):
    """All that the kustomization lists is there, and everybody gets a certificate of the CA that is trusted."""
    crds, objects = (list(yaml.safe_load_all((made / name).read_text())) for name in ("crds.yaml", "manifests.yaml"))
    expect([each for each in crds if each["kind"] != "CustomResourceDefinition"] == [], "crds.yaml: has other kinds")
    there = {(each["kind"], each["metadata"]["name"]): each for each in objects}
    expect(len(there) == len(objects), "manifests.yaml: has an object twice")
    folder = ROOT / "examples" / "manifests"
    for name in yaml.safe_load((folder / "kustomization.yaml").read_text())["resources"]:
        for each in yaml.safe_load_all((folder / name).read_text()):
            expect((each["kind"], each["metadata"]["name"]) in there, f"manifests.yaml: lacks {each['kind']} {each['metadata']['name']}")
    expect({each["metadata"]["name"] for each in crds} == {name for kind, name in there if kind == "CustomResourceDefinition"},
           "crds.yaml: has other CRDs than manifests.yaml")
    expect(all(each["metadata"]["labels"]["app.kubernetes.io/part-of"] == "schedpol" for each in objects), "manifests.yaml: lacks a label")
    certificates = {f"{each['metadata']['namespace']}/{each['metadata']['name']}": each["spec"] for each in objects if each["kind"] == "Certificate"}
    servers = set()
    for each in objects:
        if each["kind"].endswith("WebhookConfiguration"):
            trusted = certificates[each["metadata"]["annotations"]["cert-manager.io/inject-ca-from"]]
            services = [webhook["clientConfig"]["service"] for webhook in each["webhooks"]]
            servers |= {f"{service['name']}.{service['namespace']}.svc" for service in services}
            expect(servers <= set(trusted["dnsNames"]), f"manifests.yaml: the certificate is not for {servers}")
        if each["kind"] == "Deployment":
            pod = each["spec"]["template"]["spec"]
            mounted = {volume["secret"]["secretName"] for volume in pod["volumes"] if "secret" in volume}
            expect(mounted <= {spec["secretName"] for spec in certificates.values()}, f"manifests.yaml: nobody makes the Secrets {mounted}")
            expect(all(re.search(r":\d", container["image"]) for container in pod["containers"]), "manifests.yaml: an image has no version")
    issuers = {each["metadata"]["name"] for each in objects if each["kind"] == "Issuer"}
    expect({spec["issuerRef"]["name"] for spec in certificates.values()} <= issuers, "manifests.yaml: an Issuer is missing")


def check_node(archive, directory, expected):
    """Installed from its file, without a registry."""
    if not has("npm", archive.name):
        return
    program = ("import { createInterface } from 'node:readline'; import { evaluateText } from 'schedpol';"
               "for await (const line of createInterface({ input: process.stdin })) process.stdout.write(evaluateText(line) + '\\n');")
    subprocess.run(["npm", "install", "--silent", "--offline", "--no-audit", "--no-fund", "--prefix", directory, archive], check=True)
    (directory / "program.mjs").write_text(program)
    expect(replies(["node", directory / "program.mjs"]) == expected, f"{archive.name}: answers otherwise than the library here")


def check_action(made, directory, version):
    """The steps of the workflow, as a runner runs them, on a release that is in a folder, and on one that was changed."""
    if not has("curl", "the action"):
        return
    steps = yaml.safe_load((ROOT / ".packaging" / "github" / "action.yml").read_text())["runs"]["steps"]
    for is_changed in (False, True):
        served, temporary, path = (directory / f"{name}-{is_changed}" for name in ("served", "temporary", "path"))
        temporary.mkdir(parents=True)
        shutil.copytree(made, served / f"v{version}")
        if is_changed:
            archive, = (served / f"v{version}").glob(f"*-{HERE}.tar.gz")
            archive.write_bytes(gzip.compress(gzip.decompress(archive.read_bytes()), 1))
        path.touch()
        inputs = {"version": version, "downloads": f"file://{served}", "arguments": "test PolicyTest.yaml -o junit"}
        for step in steps:
            given = {name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda found: inputs[found[1]], value) for name, value in step["env"].items()}
            ended = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], check=False, capture_output=True,
                                   cwd=ROOT / "examples" / "reference",
                                   env={**os.environ, **given, "RUNNER_ARCH": "X64", "RUNNER_TEMP": str(temporary), "GITHUB_PATH": str(path),
                                        "PATH": f"{path.read_text().strip()}:{os.environ['PATH']}"})
            if ended.returncode != 0:
                break
        expect((ended.returncode != 0) == is_changed,
               f"the action {'takes a changed archive' if is_changed else 'fails'}: {ended}")


def check_page(page, directory):
    if not has(CHROMIUM, page.name) or not has("npm", page.name):
        return
    steered = subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", directory, "playwright-core@1"], check=False)
    if steered.returncode != 0:
        print(f"SKIPPED {page.name}: what steers a browser cannot be had")
        return
    tested = subprocess.run(["node", ROOT / "tests" / "examples" / "playground_test.mjs", page, BUILD / "examples" / "evaluate",
                             directory / "node_modules" / "playwright-core"], check=False, text=True, capture_output=True)
    expect(tested.returncode == 0, f"{page.name}: {tested.stdout}{tested.stderr}")


def check_headers(archive, directory):
    """They are all that a program needs."""
    folder = unpack(archive, directory)
    program, vectors = directory / "program", ROOT / "tests" / "conformance" / "quantity.compare.jsonl"
    (directory / "program.cpp").write_text(
        "#include <schedpol/json.hpp>\n#include <iostream>\nint main() {\n"
        "  for (std::string line; std::getline(std::cin, line);) std::cout << schedpol::json::evaluate(line) << '\\n';\n}\n")
    subprocess.run(["g++", "-std=c++20", f"-I{folder}", directory / "program.cpp", "-o", program], check=True)
    expect(subprocess.run([program], stdin=vectors.open("rb"), capture_output=True, check=True).stdout
           == subprocess.run([BUILD / "examples" / "evaluate"], stdin=vectors.open("rb"), capture_output=True, check=True).stdout,
           "a program of the headers answers otherwise than the library here")


def main():
    with tempfile.TemporaryDirectory() as directory:
        scratch = pathlib.Path(directory)
        first, second, key = (scratch / name for name in ("first", "second", "key"))
        signs = has("minisign", "the signature")
        if signs:
            subprocess.run(["minisign", "-G", "-W", "-p", f"{key}.pub", "-s", key], check=True, stdout=subprocess.DEVNULL)
        for each, targets in ((first, TARGETS), (second, [HERE])):
            make(each, targets, *(["--key", key] if signs else []))
        names = sorted(file.name for file in first.iterdir())
        check_second_run(first, second)
        sums = {line.split("  ")[1]: line.split("  ")[0] for line in (first / "SHA256SUMS").read_text().splitlines()}
        expect(sorted([*sums, "SHA256SUMS", *(["SHA256SUMS.minisig"] if signs else [])]) == names, "SHA256SUMS does not list the files")
        for name, digest in sums.items():
            expect(hashlib.sha256((first / name).read_bytes()).hexdigest() == digest, f"{name}: is not what SHA256SUMS says")
        if signs:
            verified = subprocess.run(["minisign", "-V", "-q", "-p", f"{key}.pub", "-m", first / "SHA256SUMS"], check=False)
            expect(verified.returncode == 0, "SHA256SUMS is not signed with the key")
        folders = {target: unpack(next(first.glob(f"schedpol-*-{target}.*")), scratch / "unpacked") for target in TARGETS}
        expected, said = replies([BUILD / "examples" / "evaluate"]), answers([program(folders[HERE], "schedpol")])
        for target, folder in folders.items():
            check_programs(folder, target, expected, said)
        check_lists(first, sums)
        check_image(next(first.glob("*-oci.tar")), folders, scratch)
        check_manifests(first)
        check_node(next(first.glob("*.tgz")), scratch / "node", expected)
        check_page(next(first.glob("*-playground.html")), scratch / "browser")
        check_action(first, scratch / "action", re.search(r"schedpol-(.+)-headers", " ".join(names))[1])
        check_headers(next(first.glob("*-headers.tar.gz")), scratch)
        for name in names:
            print(f"{(first / name).stat().st_size:>12,}  {name}")
    for problem in problems:
        print(problem)
    print(f"{len(names)} files of a release looked at, {len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()

"""Renders the chart with several values, and validates each manifest by the schemas of Kubernetes, without a cluster.

Reads a request from stdin and prints the answer, both as JSON:

    {"chart": FOLDER, "kubernetes": [VERSION], "values": {NAME: FILE}}
    {"defaults": VALUES, "cases": {NAME: CASE}}

A CASE is {"refused": REASON}, or the manifests as "objects", the text "notes", and "problems" that the schemas and the linter find.
"""

import json
import sys

import helm_python
import kubernetes_validate
import yaml

RELEASE, NAMESPACE = "team", "tools"
# The linter's severity of a warning.
WARNING = 2


def invalid(manifest, version):
    """Returns the reason why a manifest is not valid in a version of Kubernetes, or None."""
    try:
        kubernetes_validate.validate(manifest, version, strict=True)
    except kubernetes_validate.ValidationError as error:
        path = "/".join(str(part) for part in error.absolute_path)
        return f"{path}: {error.message}"
    except kubernetes_validate.SchemaNotFoundError as error:
        return error.message
    return None


def case(chart, folder, values, versions):
    try:
        chart.validate_schema(values)
        files = chart.render(values, name=RELEASE, namespace=NAMESPACE)
    except helm_python.HelmError as error:
        return {"refused": str(error)}
    objects, notes, problems = [], "", []
    for path, text in sorted(files.items()):
        if path.endswith("NOTES.txt"):
            notes = text
            continue
        for manifest in filter(None, yaml.safe_load_all(text)):
            objects.append(manifest)
            for version in versions:
                reason = invalid(manifest, version)
                if reason:
                    problems.append(f"{path}, Kubernetes {version}: {reason}")
    report = helm_python.lint(folder, values, strict=True)
    problems += [f"{found['path']}: {found['error']}" for found in report["messages"] if found["severity"] >= WARNING]
    return {"objects": objects, "notes": notes, "problems": problems}


def main():
    request = json.load(sys.stdin)
    with helm_python.Chart.load(request["chart"]) as chart:
        cases = {}
        for name, path in request["values"].items():
            with open(path, encoding="utf-8") as file:
                values = yaml.safe_load(file) or {}
            cases[name] = case(chart, request["chart"], values, request["kubernetes"])
        json.dump({"defaults": chart.values, "cases": cases}, sys.stdout)


main()

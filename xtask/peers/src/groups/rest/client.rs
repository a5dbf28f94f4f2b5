//! A client that another project's generator makes from the document calls a tool of ours.

use super::document::DescribedGateway;
use crate::{
    install::{NpmHome, Package},
    peers::{Instance, Kernel, Upstream, output},
    rows::{Context, Row},
    tap::Command,
};
use serde_json::{Value, json};
use tokio::process;

/// The program that uses the generated client, which the compiler checks against the generated types.
const PROGRAM: &str = include_str!("../../../node/rest.ts");

pub(super) fn row() -> Row {
    let needs = [Package::OpenapiTypescript, Package::OpenapiFetch, Package::Typescript];
    crate::rows::row("rest/generated-client", &needs, run).programs(&["node"])
}

async fn run(context: Context) -> Result<(), String> {
    let server = Command::new(&context.programs.add);
    let upstream = Upstream::new("adder", Instance::Child(server));
    let kernel = Kernel::configure(&context, "full", &[], vec![upstream])?.rest(&context)?;
    let described = DescribedGateway::start(&context, &kernel).await?;
    let called = call(&context, &described).await;
    described.gateway.stop().await?;
    is_expected(&called?)
}

/// Generates the client, compiles the program that uses it, and runs it. Returns the program's output.
async fn call(context: &Context, described: &DescribedGateway) -> Result<String, String> {
    let (folder, home) = (&context.folder, NpmHome::Openapi);
    let node = |package: Package, file: &str| {
        let mut command = process::Command::new(home.node());
        command.arg(home.file(package, file));
        command
    };
    let mut generator = node(Package::OpenapiTypescript, "bin/cli.js");
    generator.arg(&described.file).arg("-o").arg(folder.file("schema.d.ts"));
    output(generator, folder, "openapi-typescript").await?;
    folder.write("rest.ts", PROGRAM)?;
    let settings = json!({
        "compilerOptions": {
            "strict": true, "target": "es2022", "lib": ["es2022", "dom"], "types": [],
            "module": "commonjs", "moduleResolution": "node10",
            "paths": { "openapi-fetch": [home.file(Package::OpenapiFetch, "")] },
        },
        "files": ["rest.ts"],
    });
    folder.write("tsconfig.json", &settings.to_string())?;
    let mut compiler = node(Package::Typescript, "bin/tsc");
    compiler.args(["--project", "tsconfig.json"]);
    output(compiler, folder, "typescript").await?;
    let mut program = process::Command::new(home.node());
    program.arg(folder.file("rest.js")).arg(format!("http://127.0.0.1:{}", described.gateway.port()));
    program.env("NODE_PATH", home.path().join("node_modules"));
    output(program, folder, "client").await
}

/// Checks the answers: of a call, of a dry run, and of two calls that the types forbid.
fn is_expected(printed: &str) -> Result<(), String> {
    let answers: Vec<Value> = printed
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()
        .map_err(|error| format!("{error}: {printed}"))?;
    let seen: Vec<_> =
        answers.iter().map(|answer| (&answer["status"], &answer["answer"]["status"])).collect();
    let success = json!("success");
    let failure = json!("failure");
    let expected = [(200, &success), (200, &success), (200, &failure), (404, &failure)];
    let is_same = seen.len() == expected.len()
        && seen
            .iter()
            .zip(&expected)
            .all(|(seen, (code, status))| *seen.0 == json!(code) && seen.1 == *status);
    let data = |at: usize| answers.get(at).map(|answer| &answer["answer"]["data"]);
    let added = data(0).is_some_and(|sum| sum["content"] == json!([{ "type": "text", "text": "42" }]));
    if is_same && added && data(1).is_some_and(|judged| judged["allowed"] == json!(true)) {
        return Ok(());
    }
    Err(format!("the client read {printed}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_answer_must_be_there_with_its_status() {
        let good = "{\"status\":200,\"answer\":{\"status\":\"success\",\"data\":{\"content\":[{\"type\":\"text\",\"text\":\"42\"}]}}}\n\
            {\"status\":200,\"answer\":{\"status\":\"success\",\"data\":{\"allowed\":true}}}\n\
            {\"status\":200,\"answer\":{\"status\":\"failure\"}}\n{\"status\":404,\"answer\":{\"status\":\"failure\"}}\n";
        assert_eq!(is_expected(good), Ok(()));
        for (from, to) in [("42", "41"), ("404", "200"), ("true", "false"), ("success", "failure")] {
            assert!(is_expected(&good.replacen(from, to, 1)).is_err(), "{to}");
        }
        assert!(is_expected(good.lines().next().unwrap()).is_err());
        assert!(is_expected("hello").is_err());
    }
}

//! HTTP APIs as servers: documents of other projects, answered by a mock that refuses requests that do not fit its document.

use super::ask::{connect, items};
use crate::{
    install::{NpmHome, Package},
    peers::{Instance, Kernel, Scene, Service, Transport, get},
    rows::{Context, Row, row},
    tap::Command,
};
use mgp_client_sdk::client::Client;
use mgp_types::{json::RawJson, mcp::CallToolResult};
use serde_json::Value;
use std::path::PathBuf;

/// A document of another project.
#[derive(Debug, Clone, Copy)]
struct ApiDocument {
    id: &'static str,
    package: Package,
    file: &'static str,
    /// A header with a key, besides the bearer token.
    key: Option<&'static str>,
    operations: usize,
}

const DOCUMENTS: [ApiDocument; 7] = [
    document("galaxy", Package::ApiGalaxy, "dist/3.1.json", 10),
    document("directus", Package::ApiDirectus, "dist/openapi.json", 136),
    ApiDocument {
        key: Some("project_id"),
        ..document("blockfrost", Package::ApiBlockfrost, "openapi.yaml", 129)
    },
    document("startrek", Package::ApiExamples, "3.0/json/star-trek.json", 120),
    document("trains", Package::ApiExamples, "3.1/json/train-travel.json", 7),
    document("patents", Package::ApiExamples, "3.0/json/uspto.json", 3),
    document("pets", Package::ApiExamples, "3.0/json/petstore-expanded.json", 4),
];

/// The least share of operations that the mock must accept with generated arguments, in percent.
const ACCEPTED: usize = 95;
/// The most times that one call is repeated.
const LOST: usize = 3;
/// The most refused operations that an error names.
const NAMED: usize = 10;

const fn document(id: &'static str, package: Package, file: &'static str, operations: usize) -> ApiDocument {
    ApiDocument { id, package, file, key: None, operations }
}

impl ApiDocument {
    fn path(self) -> PathBuf {
        NpmHome::Node22.file(self.package, self.file)
    }

    /// Starts the mock of the document.
    async fn mock(self, context: &Context) -> Result<Service, String> {
        let program = NpmHome::Node22.file(Package::Prism, "dist/index.js");
        let start = |port: u16| {
            let words = ["mock".to_owned(), text(&self.path()), "--port".to_owned(), port.to_string()];
            Command::new(NpmHome::Node22.node()).args([text(&program)]).args(words)
        };
        Service::start(start, Transport::Http, &context.folder, "prism").await
    }

    /// Returns the table of the server.
    fn table(self, port: u16) -> String {
        let key = self.key.map(|key| format!("headers = {{ {key} = \"k\" }}\n")).unwrap_or_default();
        format!(
            "[[servers]]\nid = \"{}\"\nopenapi = '{}'\nbase_url = \"http://127.0.0.1:{port}\"\nauth.bearer = \"t\"\n{key}\
             default_policy = \"opt-out\"\nmax_pages = 1\nmgp.confirmation = \"never\"\n",
            self.id,
            text(&self.path()),
        )
    }
}

/// Returns the rows.
pub(super) fn rows() -> Vec<Row> {
    let packages = [
        Package::Prism,
        Package::Node22,
        Package::ApiGalaxy,
        Package::ApiDirectus,
        Package::ApiBlockfrost,
        Package::ApiExamples,
    ];
    vec![row("apis/prism", &packages, run)]
}

async fn run(context: Context) -> Result<(), String> {
    Scene::prepare(&context.folder).await?;
    let mut mocks = Vec::new();
    let mut tables = String::new();
    for document in DOCUMENTS {
        let mock = document.mock(&context).await?;
        tables.push_str(&document.table(mock.port()));
        mocks.push(mock);
    }
    let kernel =
        Kernel::configure(&context, "full", &[], Vec::new())?.rest(&context)?.with(&context, &tables)?;
    let gateway = kernel.http(&context).await?;
    let port = gateway.port();
    let host = connect(&context, &Instance::Running(gateway), None).await?;

    let listed = items(&host, "tools/list", "tools").await?;
    let expected: usize = DOCUMENTS.iter().map(|document| document.operations).sum();
    if listed.len() != expected {
        return Err(format!(
            "{} tools are listed, expected {expected}: a document failed to load",
            listed.len()
        ));
    }
    check_calls(&host, &described(port).await?, expected).await?;
    drop(host);
    for mock in mocks {
        mock.stop().await?;
    }
    kernel.stop_upstreams().await
}

/// Returns the tools with the arguments that the gateway's own document gives as an example.
async fn described(port: u16) -> Result<Vec<(String, Value)>, String> {
    let text = get(port, "/openapi.json").await?;
    let document: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let paths = document["paths"].as_object().ok_or("the gateway's document has no paths")?;
    let example = |(path, item): (&String, &Value)| {
        let example = &item["post"]["requestBody"]["content"]["application/json"]["example"];
        let example = if example.is_null() { Value::Object(serde_json::Map::new()) } else { example.clone() };
        Some((path.strip_prefix("/tools/")?.to_owned(), example))
    };
    Ok(paths.iter().filter_map(example).collect())
}

/// Calls each tool once. The mock refuses a request that does not fit its document with 400 or 422.
async fn check_calls(host: &Client, tools: &[(String, Value)], expected: usize) -> Result<(), String> {
    let mut refused = Vec::new();
    for (name, arguments) in tools {
        let arguments = RawJson::from_value(arguments).map_err(|error| error.to_string())?;
        let result = call(host, name, &arguments).await?;
        let text = result.content.first().and_then(|block| block.as_text()).unwrap_or_default();
        let is_refused = ["HTTP 400", "HTTP 422", "invalid arguments", "failed to"];
        if is_refused.iter().any(|start| text.starts_with(start)) {
            refused.push(format!("{name}: {text}"));
        }
    }
    let accepted = tools.len() - refused.len();
    if tools.len() != expected || accepted * 100 < expected * ACCEPTED {
        refused.truncate(NAMED);
        let named = refused.join("; ");
        return Err(format!(
            "{accepted} of {expected} operations are accepted, expected {ACCEPTED} %: {named}"
        ));
    }
    Ok(())
}

/// Calls a tool of the mock, again if the connection was lost: a server may close an idle connection while a busy host takes it.
async fn call(host: &Client, name: &str, arguments: &RawJson) -> Result<CallToolResult, String> {
    let mut lost = 0;
    loop {
        match host.call_tool(name, arguments.clone()).await {
            Ok(result) => return Ok(result),
            Err(error) if lost < LOST && error.to_string().contains("connection closed") => lost += 1,
            Err(error) => return Err(format!("{name}: {error}")),
        }
    }
}

fn text(path: &std::path::Path) -> String {
    path.to_string_lossy().into_owned()
}

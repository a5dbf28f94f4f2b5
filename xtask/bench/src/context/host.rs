//! A plain MCP host in front of a kernel, and the texts that its model reads.

use mgp_kernel::{Kernel, KernelBuilder, ServerSpec};
use mgp_toolindex::{
    exposure::Exposure,
    tokens::{Cl100k, TokenCounter},
};
use mgp_transport::{
    connection::{Config, Connection},
    memory,
};
use mgp_types::{context::Principal, json::RawJson};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::{any::Any, time::Duration};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};

const AGENT: &str = "agent.bench";
/// The most pages that a list may have.
const MAX_PAGES: usize = 1_000;

/// The members of a message that the host reads.
#[derive(Deserialize)]
struct Answer {
    id: Option<u64>,
    result: Option<RawJson>,
}

/// A page of a list, with each definition as received.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    tools: Vec<RawJson>,
    next_cursor: Option<String>,
}

/// A plain MCP host.
pub(super) struct Host {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    output: WriteHalf<DuplexStream>,
    next: u64,
    /// Dropping them would end the connections.
    _ends: Box<dyn Any + Send>,
}

impl Host {
    /// Connects a host to a kernel in front of these servers.
    pub(super) async fn connect(servers: Vec<ServerSpec>, exposure: Exposure) -> Result<Self, String> {
        let builder = Kernel::builder().config(|config| {
            config.kernel.agent = AGENT.into();
            config.kernel.exposure = exposure;
            config.kernel.search_results = 5;
        });
        let builder = servers.into_iter().fold(builder, KernelBuilder::server);
        let kernel = builder.start().await.map_err(|error| error.to_string())?;
        let down = kernel.ready(Duration::from_secs(60)).await;
        if !down.is_empty() {
            return Err(format!("servers that did not connect: {down:?}"));
        }
        let (here, there) = memory::pair();
        let connection: Connection =
            kernel.face().serve(Principal::agent(AGENT), Config::default(), there.0, there.1);
        let ends = Box::new((kernel, connection));
        let mut host = Self { lines: BufReader::new(here.0).lines(), output: here.1, next: 1, _ends: ends };
        let hello = json!({
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1.0.0"},
        });
        host.ask("initialize", hello).await?;
        host.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await?;
        Ok(host)
    }

    /// Returns the number of tools in the list, and the number of tokens of their definitions.
    pub(super) async fn list(&mut self) -> Result<(usize, u64), String> {
        let (mut tools, mut tokens, mut params) = (0, 0, json!({}));
        for _ in 0..MAX_PAGES {
            let page: Page = decoded(&self.ask("tools/list", params).await?)?;
            tools += page.tools.len();
            tokens += page.tools.iter().map(|tool| Cl100k.count(tool.as_str())).sum::<u64>();
            match page.next_cursor {
                Some(cursor) => params = json!({ "cursor": cursor }),
                None => return Ok((tools, tokens)),
            }
        }
        Err(format!("the list has more than {MAX_PAGES} pages"))
    }

    /// Returns the number of tools that a search finds, and the number of tokens of its answer.
    pub(super) async fn discover(&mut self, sentence: &str) -> Result<(usize, u64), String> {
        let params = json!({"name": "mgp_tools_discover", "arguments": {"query": sentence}});
        let result: Value = decoded(&self.ask("tools/call", params).await?)?;
        let found = result["structuredContent"]["tools"].as_array().map(Vec::len);
        let text = result["content"][0]["text"].as_str();
        match (found, text) {
            (Some(found), Some(text)) => Ok((found, Cl100k.count(text))),
            _ => Err(format!("{sentence:?} was answered with {result}")),
        }
    }

    async fn ask(&mut self, method: &str, params: Value) -> Result<RawJson, String> {
        let id = self.next;
        self.next += 1;
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await?;
        loop {
            let line = self.lines.next_line().await.map_err(|error| error.to_string())?;
            let line = line.ok_or_else(|| format!("{method} was not answered"))?;
            let json = RawJson::parse(line).map_err(|error| error.to_string())?;
            let message: Answer = decoded(&json)?;
            if message.id == Some(id) {
                let error = || format!("{method} was answered with {json}");
                return message.result.ok_or_else(error);
            }
        }
    }

    async fn say(&mut self, message: &Value) -> Result<(), String> {
        let line = format!("{message}\n");
        self.output.write_all(line.as_bytes()).await.map_err(|error| error.to_string())
    }
}

fn decoded<T: DeserializeOwned>(json: &RawJson) -> Result<T, String> {
    json.decode().map_err(|error| format!("{error} in {json}"))
}

//! §16 The tool index: finds the right tool among thousands, within an agent's rights.
//!
//! - [`tool`]: a tool in the index.
//! - [`names`]: the names that hosts call tools by.
//! - [`catalogue`]: all tools of all servers, and the resolution of called names.
//! - [`index`]: search by words and by meaning, among the tools that the caller may see.
//! - [`embed`]: embedders, which turn the meaning of a text into a vector.
//! - [`vectors`]: the storage and comparison of vectors.
//! - [`rerank`]: an optional second reading of the first results.
//! - [`categories`]: the categories of tools.
//! - [`exposure`]: the list of tools that a host is shown.
//! - [`meta_tools`]: the kernel's own tools, for hosts that only support `tools/call`.
//! - [`discover`]: `mgp/tools/discover`, as a method and as a tool.
//! - [`request`]: loads tools for capabilities that a session lacks.
//! - [`session`]: the tools of a session, and their eviction when there is no room.
//! - [`describe`]: documents about tools: specification, catalogue, OpenAPI, service manifest.
//! - [`budget`]: the limits on the tokens of tool definitions; [`tokens`]: the counters of tokens.
//!
//! ```
//! use mgp_toolindex::{catalogue::Catalogue, discover::Discovery, tool::IndexedTool};
//! use mgp_transport::seam::FullVisibility;
//! use mgp_types::{context::{Principal, RiskLevel}, json::RawJson, tool_index::DiscoverToolsParams};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let definition = RawJson::parse(r#"{"name": "read_file", "description": "Returns what a file contains."}"#)?;
//! let catalogue = Catalogue::new(["files"])?;
//! catalogue.update_server("files", vec![IndexedTool::new("files", &definition, RiskLevel::Moderate)?]).await?;
//!
//! let discovery = Discovery::new(catalogue, std::sync::Arc::new(FullVisibility));
//! let params = DiscoverToolsParams { query: "what is in this file?".into(), ..Default::default() };
//! let found = discovery.discover(&Principal::agent("local"), &params)?;
//! assert_eq!(found.tools[0].name, "read_file");
//! # Ok(()) }
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod budget;
pub mod catalogue;
pub mod categories;
pub mod describe;
pub mod discover;
pub mod embed;
pub mod exposure;
pub mod index;
pub mod meta_tools;
pub mod names;
pub mod request;
pub mod rerank;
pub mod session;
pub mod tokens;
pub mod tool;
pub mod vectors;

mod words;

#[cfg(test)]
mod fixtures;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

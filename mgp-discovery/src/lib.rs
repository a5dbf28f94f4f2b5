//! §15 Discovery: the servers that a kernel starts or reaches, from its configuration, other hosts' lists, and registries.
//!
//! - [`config`]: the file `mgp.toml`, with errors that point at line and column.
//! - [`locate`]: the paths of that file and of the kernel's state.
//! - [`trust`]: the project files that may run commands.
//! - [`mcp_servers`]: the server lists of other hosts.
//! - [`public_registry`]: public registries, whose entries are untrusted.
//! - [`registry`]: the servers that the kernel knows, and `mgp/discovery/*`.
//! - [`registration`]: servers that are added and removed while kernels run.
//! - [`listing`]: the last listings of servers.
//!
//! ```
//! use mgp_discovery::{config::Config, registry::Registry};
//!
//! let text = r#"
//!     [[servers]]
//!     id = "time"
//!     command = "uvx"
//!     args = ["mcp-server-time"]
//! "#;
//! let config = Config::parse("mgp.toml".as_ref(), text.as_bytes(), &|_| None)?;
//! let registry = Registry::from_config(&config);
//! assert_eq!(&*registry.servers()[0].id, "time");
//! # Ok::<(), mgp_discovery::config::ConfigError>(())
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod config;
pub mod listing;
pub mod locate;
pub mod mcp_servers;
pub mod public_registry;
pub mod registration;
pub mod registry;
pub mod trust;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

//! The macros of the crate. A build of the crate without them does not compile this file.

#![allow(unused_imports, reason = "only their presence matters")]

use mgp_server_sdk::{debug_handler, prompt, resource, server, tool};

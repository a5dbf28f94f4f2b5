//! The reference servers that run on Node.

use super::{Probe, ServerPeer, Stability, Transport};
use crate::install::Package;

const EVERYTHING: ServerPeer = ServerPeer {
    args: &["stdio"],
    tools: 17,
    resources: (7, 2),
    prompts: 4,
    probes: &[
        Probe {
            sentence: "add two numbers and tell me the sum",
            tool: "get-sum",
            arguments: r#"{"a":7,"b":35}"#,
            steady: Stability::Always,
        },
        Probe {
            sentence: "get structured content for a location",
            tool: "get-structured-content",
            arguments: r#"{"location":"Chicago"}"#,
            steady: Stability::Always,
        },
        Probe {
            sentence: "show me the tiny logo image",
            tool: "get-tiny-image",
            arguments: "{}",
            steady: Stability::Always,
        },
    ],
    ..ServerPeer::stdio("everything", Package::Everything, MAIN)
};

/// The main file of each of these servers.
const MAIN: &str = "dist/index.js";

pub(super) const SERVERS: &[ServerPeer] = &[
    EVERYTHING,
    ServerPeer { id: "everything-http", transport: Transport::Http, args: &["streamableHttp"], ..EVERYTHING },
    ServerPeer { id: "everything-sse", transport: Transport::HttpSse, args: &["sse"], ..EVERYTHING },
    ServerPeer {
        args: &["{files}"],
        confinement: r#"write = ["{files}"]"#,
        tools: 14,
        probes: &[
            Probe {
                sentence: "read the contents of a text file",
                tool: "read_text_file",
                arguments: r#"{"path":"{files}/note.txt"}"#,
                steady: Stability::Always,
            },
            Probe {
                sentence: "which files are in this directory",
                tool: "list_directory",
                arguments: r#"{"path":"{files}"}"#,
                steady: Stability::Always,
            },
        ],
        ..ServerPeer::stdio("filesystem", Package::Filesystem, MAIN)
    },
    ServerPeer {
        env: &[("MEMORY_FILE_PATH", "{memory}")],
        confinement: r#"write = ["{data}"]"#,
        tools: 9,
        resources: (1, 0),
        probes: &[
            Probe {
                sentence: "search the knowledge graph for something I told you",
                tool: "search_nodes",
                arguments: r#"{"query":"traits"}"#,
                steady: Stability::Always,
            },
            Probe {
                sentence: "remember new entities",
                tool: "create_entities",
                arguments: r#"{"entities":[{"name":"tux","entityType":"bird","observations":["swims"]}]}"#,
                steady: Stability::Always,
            },
        ],
        ..ServerPeer::stdio("memory", Package::Memory, MAIN)
    },
    ServerPeer {
        tools: 1,
        probes: &[Probe {
            sentence: "think about a hard problem step by step",
            tool: "sequentialthinking",
            arguments: r#"{"thought":"Count the swans.","thoughtNumber":1,"totalThoughts":1,"nextThoughtNeeded":false}"#,
            steady: Stability::Always,
        }],
        ..ServerPeer::stdio("sequential-thinking", Package::SequentialThinking, MAIN)
    },
];

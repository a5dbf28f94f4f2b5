//! Other people's servers, as data: how each is started, and what is asked of it.
//!
//! The sentences are what a model might say that knows nothing of the server. They were written down before any was tried.

use super::{Scene, Service};
use crate::{
    install::{Package, Source},
    rows::Context,
    tap::Command,
};

/// How a server is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transport {
    Stdio,
    Http,
}

/// A server and what is asked of it.
#[derive(Debug)]
pub(crate) struct ServerPeer {
    /// Its id in the kernel's configuration.
    pub(crate) id: &'static str,
    pub(crate) package: Package,
    pub(crate) transport: Transport,
    /// The file or program that is run, by where its package comes from.
    program: &'static str,
    args: &'static [&'static str],
    env: &'static [(&'static str, &'static str)],
    /// How many tools it lists to a client that offers nothing.
    pub(crate) tools: usize,
    pub(crate) probes: &'static [Probe],
}

/// One question to the index, and one call.
#[derive(Debug)]
pub(crate) struct Probe {
    /// What the tool is needed for.
    pub(crate) sentence: &'static str,
    pub(crate) tool: &'static str,
    pub(crate) arguments: &'static str,
    pub(crate) steady: Steady,
}

/// How long an answer stays the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Steady {
    Always,
    /// The date is in it, so the server is asked directly before and after.
    WithinADay,
}

const EVERYTHING_PROBES: &[Probe] = &[
    Probe {
        sentence: "add two numbers and tell me the sum",
        tool: "get-sum",
        arguments: r#"{"a":7,"b":35}"#,
        steady: Steady::Always,
    },
    Probe {
        sentence: "get structured content for a location",
        tool: "get-structured-content",
        arguments: r#"{"location":"Chicago"}"#,
        steady: Steady::Always,
    },
    Probe {
        sentence: "show me the tiny logo image",
        tool: "get-tiny-image",
        arguments: "{}",
        steady: Steady::Always,
    },
];

pub(crate) const SERVERS: &[ServerPeer] = &[
    ServerPeer {
        id: "everything",
        package: Package::Everything,
        transport: Transport::Stdio,
        program: "dist/index.js",
        args: &["stdio"],
        env: &[],
        tools: 13,
        probes: EVERYTHING_PROBES,
    },
    ServerPeer {
        id: "filesystem",
        package: Package::Filesystem,
        transport: Transport::Stdio,
        program: "dist/index.js",
        args: &["{files}"],
        env: &[],
        tools: 14,
        probes: &[
            Probe {
                sentence: "read the contents of a text file",
                tool: "read_text_file",
                arguments: r#"{"path":"{files}/note.txt"}"#,
                steady: Steady::Always,
            },
            Probe {
                sentence: "which files are in this directory",
                tool: "list_directory",
                arguments: r#"{"path":"{files}"}"#,
                steady: Steady::Always,
            },
        ],
    },
    ServerPeer {
        id: "memory",
        package: Package::Memory,
        transport: Transport::Stdio,
        program: "dist/index.js",
        args: &[],
        env: &[("MEMORY_FILE_PATH", "{memory}")],
        tools: 9,
        probes: &[
            Probe {
                sentence: "search the knowledge graph for something I told you",
                tool: "search_nodes",
                arguments: r#"{"query":"traits"}"#,
                steady: Steady::Always,
            },
            Probe {
                sentence: "remember new entities",
                tool: "create_entities",
                arguments: r#"{"entities":[{"name":"tux","entityType":"bird","observations":["swims"]}]}"#,
                steady: Steady::Always,
            },
        ],
    },
    ServerPeer {
        id: "time",
        package: Package::Time,
        transport: Transport::Stdio,
        program: "mcp-server-time",
        args: &["--local-timezone", "Etc/UTC"],
        env: &[],
        tools: 2,
        probes: &[
            Probe {
                sentence: "what is three o'clock in Tokyo in another timezone",
                tool: "convert_time",
                arguments: r#"{"source_timezone":"Asia/Tokyo","time":"15:00","target_timezone":"Asia/Kolkata"}"#,
                steady: Steady::WithinADay,
            },
            Probe {
                sentence: "get the current time",
                tool: "get_current_time",
                // A zone that there is not: the refusal has no time in it.
                arguments: r#"{"timezone":"Nowhere/Never"}"#,
                steady: Steady::Always,
            },
        ],
    },
    ServerPeer {
        id: "git",
        package: Package::Git,
        transport: Transport::Stdio,
        program: "mcp-server-git",
        args: &["--repository", "{repo}"],
        env: &[],
        tools: 12,
        probes: &[
            Probe {
                sentence: "show the history of commits",
                tool: "git_log",
                arguments: r#"{"repo_path":"{repo}","max_count":5}"#,
                steady: Steady::Always,
            },
            Probe {
                sentence: "status of the working tree",
                tool: "git_status",
                arguments: r#"{"repo_path":"{repo}"}"#,
                steady: Steady::Always,
            },
        ],
    },
    ServerPeer {
        id: "everything-http",
        package: Package::Everything,
        transport: Transport::Http,
        program: "dist/index.js",
        args: &["streamableHttp"],
        env: &[],
        tools: 13,
        probes: EVERYTHING_PROBES,
    },
];

/// A server of the table.
pub(crate) fn server(id: &str) -> Result<&'static ServerPeer, String> {
    SERVERS.iter().find(|server| server.id == id).ok_or_else(|| format!("no server is named {id}"))
}

/// One running copy of a server: the kernel's, or the one that is asked directly.
#[derive(Debug)]
pub(crate) enum Instance {
    /// Started by whoever speaks to it.
    Child(Command),
    /// Running, and reached at an address.
    Running(Service),
}

impl ServerPeer {
    /// Makes an instance ready. What it says is recorded under the instance's name and the server's.
    pub(crate) async fn instance(
        &self,
        context: &Context,
        scene: &Scene,
        name: &str,
    ) -> Result<Instance, String> {
        scene.add_instance(name)?;
        let record = context.folder.record(&format!("{name}-{}", self.id));
        let command = self.command(scene, name);
        match self.transport {
            Transport::Stdio => Ok(Instance::Child(command.tapped(&context.programs, &record))),
            Transport::Http => {
                let start =
                    |port: u16| command.env("PORT", port.to_string()).tapped(&context.programs, &record);
                Service::start(start, &context.folder, self.id).await.map(Instance::Running)
            }
        }
    }

    fn command(&self, scene: &Scene, instance: &str) -> Command {
        let command = match self.package.source() {
            Source::Npm => {
                let file = self.package.npm_file(self.program);
                Command::new("node").args([file.to_string_lossy()])
            }
            Source::Pip(home) => Command::new(home.program(self.program)),
        };
        let command = command.args(self.args.iter().map(|argument| scene.text(argument, instance)));
        let set =
            |command: Command, (name, value): &(&str, &str)| command.env(name, scene.text(value, instance));
        self.env.iter().fold(command, set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Normal;
    use std::collections::HashSet;

    #[test]
    fn every_server_has_an_id_of_its_own_and_probes_with_arguments_that_are_objects() {
        let ids: HashSet<_> = SERVERS.iter().map(|server| server.id).collect();
        assert_eq!(ids.len(), SERVERS.len());
        for server in SERVERS {
            assert!(!server.probes.is_empty() && server.probes.len() <= server.tools, "{}", server.id);
            for probe in server.probes {
                assert!(matches!(Normal::parse(probe.arguments), Ok(Normal::Object(_))), "{}", probe.tool);
            }
        }
    }

    #[test]
    fn no_sentence_is_just_the_name_of_its_tool() {
        for probe in SERVERS.iter().flat_map(|server| server.probes) {
            let words: HashSet<_> = probe.sentence.split(' ').collect();
            let name: HashSet<_> = probe.tool.split(['_', '-']).collect();
            assert!(!words.contains(probe.tool) && words != name && words.len() > 2, "{}", probe.sentence);
        }
    }

    #[test]
    fn every_kind_of_server_that_is_promised_stands_in_the_table() {
        let kinds: HashSet<_> =
            SERVERS.iter().map(|server| (server.package, server.transport == Transport::Http)).collect();
        for package in
            [Package::Everything, Package::Filesystem, Package::Memory, Package::Time, Package::Git]
        {
            assert!(kinds.contains(&(package, false)), "{package:?}");
        }
        assert!(kinds.contains(&(Package::Everything, true)));
    }
}

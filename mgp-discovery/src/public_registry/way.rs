//! The ways in which a server of a registry can be run or reached, each as a server of a configuration.

use super::{
    Entry, Package, Remote,
    budget::Budget,
    command::command,
    names::{id_for, one_line},
    settings::{InputNames, NeedList},
};
use crate::config::{Config, Secret, ServerConfig, ServerMgp, Text, runs_other_code};
use mgp_types::{context::TrustLevel, printable::printable};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// One way to run or reach a server.
#[derive(Debug, Clone, PartialEq)]
pub struct Way {
    /// A title of a few words, such as `npm package @example/notes 1.0.0`.
    pub title: String,
    /// The server as written in a configuration. The server is sandboxed, because its author is unknown.
    pub server: ServerConfig,
    /// The values that the user must or may supply.
    pub needs: Vec<Need>,
    /// The names of the given values that the way has a use for.
    pub used: BTreeSet<String>,
}

/// A value that a way needs from its user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// The variable that stands for the value.
    pub variable: String,
    /// The name of the value in the entry.
    pub of: String,
    /// The purpose of the value, in the words of the entry.
    pub what: String,
    /// True if the value is required. A value that is not required is left out of the configuration.
    pub required: bool,
    /// True if the value is secret.
    pub secret: bool,
}

/// A way that cannot be used here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusableWay {
    /// A title of a few words.
    pub title: String,
    /// The reason that the way cannot be used.
    pub reason: String,
}

/// The most packages and remotes that are considered.
const MAX_WAYS: usize = 50;

/// Returns the ways to run or reach a server, in the order of its entry: packages, then remotes.
#[must_use]
pub fn ways(entry: &Entry) -> Vec<Result<Way, UnusableWay>> {
    ways_with(entry, &BTreeMap::new())
}

/// Returns the same ways with values of the user, by the names of the inputs. A value is as in a configuration.
#[must_use]
pub fn ways_with(entry: &Entry, given: &BTreeMap<String, String>) -> Vec<Result<Way, UnusableWay>> {
    let id = id_for(&entry.name);
    // One budget for all ways, so that the cost of an entry does not grow with their number.
    let mut budget = Budget::new();
    let packages = entry.packages.iter().flatten().map(WaySource::Package);
    let remotes = entry.remotes.iter().flatten().map(WaySource::Remote);
    let all = packages.chain(remotes).take(MAX_WAYS);
    all.map(|means| {
        let (title, made) = match means {
            WaySource::Package(package) => {
                (title_of(package), packaged(&id, package, NeedList::new(&mut budget, given)))
            }
            WaySource::Remote(remote) => {
                (remote_title(remote), reached(&id, remote, NeedList::new(&mut budget, given)))
            }
        };
        match made.and_then(checked) {
            Ok((server, InputNames { needs, used })) => Ok(Way { title, server, needs, used }),
            Err(reason) => Err(UnusableWay { title, reason }),
        }
    })
    .collect()
}

/// The part of an entry that a way is built from.
enum WaySource<'a> {
    Package(&'a Package),
    Remote(&'a Remote),
}

type ServerWithNeeds = (ServerConfig, InputNames);

fn title_of(package: &Package) -> String {
    let version = package.version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
    one_line(&format!("{} package {}{version}", package.registry_type, package.identifier), 200)
}

fn remote_title(remote: &Remote) -> String {
    one_line(&format!("{} at {}", remote.kind, remote.url), 200)
}

/// Makes a server of a package, started by the program that runs packages of its kind.
fn packaged(id: &str, package: &Package, mut needs: NeedList<'_>) -> Result<ServerWithNeeds, String> {
    let transport = package.transport.as_ref().map_or("stdio", |transport| transport.kind.as_str());
    if !matches!(transport, "stdio" | "") {
        let transport = one_line(transport, 32);
        return Err(format!(
            "it serves {transport} by itself: expected stdio; start it, and configure its url"
        ));
    }
    let runtime = needs.arguments(package.runtime_arguments.as_deref())?;
    let own = needs.arguments(package.package_arguments.as_deref())?;
    let env = needs.named("variables", package.environment_variables.as_deref())?;
    let names: Vec<_> = env.keys().cloned().collect();
    let (program, args) = command(package, runtime, own, &names)?;
    let mut server = ServerConfig::new(id);
    server.command = Some(program.into());
    server.args = args.into_iter().map(Text::from).collect();
    server.env = env.into_iter().map(|(name, value)| (name, Secret::from(value))).collect();
    Ok((server, needs.into_names()))
}

/// Makes a server of an address where it already runs.
fn reached(id: &str, remote: &Remote, mut needs: NeedList<'_>) -> Result<ServerWithNeeds, String> {
    if !matches!(remote.kind.as_str(), "streamable-http" | "sse" | "http") {
        let kind = one_line(&remote.kind, 32);
        return Err(format!("its transport {kind:?} is not known: expected streamable-http or sse"));
    }
    let mut server = ServerConfig::new(id);
    server.url = Some(needs.filled(&remote.url, remote.variables.as_ref(), 0)?.into());
    let headers = needs.named("headers", remote.headers.as_deref())?;
    server.headers = headers.into_iter().map(|(name, value)| (name, Secret::from(value))).collect();
    Ok((server, needs.into_names()))
}

/// Sandboxes a server, and refuses one that would not load.
fn checked((mut server, needs): ServerWithNeeds) -> Result<ServerWithNeeds, String> {
    server.mgp = Some(ServerMgp { trust_level: Some(TrustLevel::Sandboxed), ..ServerMgp::default() });
    let mut config = Config::default();
    config.servers.push(server.clone());
    let text = toml::to_string(&config).map_err(|error| error.to_string())?;
    // Every variable has a value here, because the check is about everything else.
    match Config::parse(Path::new("entry"), text.as_bytes(), &|_| Some("x".to_owned())) {
        Ok(config) => match config.servers.into_iter().find_map(|parsed| parsed.fault) {
            Some(fault) => Err(one_line(&fault, 200)),
            None => plain(&server).map(|()| (server, needs)),
        },
        Err(error) => {
            let wrong = error.problems().first().map_or_else(|| error.to_string(), ToString::to_string);
            Err(one_line(wrong.strip_prefix("servers[0].").unwrap_or(&wrong), 200))
        }
    }
}

/// Refuses a server that would run other code than the named package, or whose text contains invisible characters.
fn plain(server: &ServerConfig) -> Result<(), String> {
    for name in server.env.keys() {
        if runs_other_code(name) {
            return Err(format!(
                "its variable {name} makes programs run other code: set it yourself if you want it"
            ));
        }
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        if !name.chars().all(is_name) {
            return Err(format!(
                "{:?} is not a variable name: expected letters, digits and _",
                one_line(name, 64)
            ));
        }
    }
    let texts = server.command.iter().chain(&server.args).chain(&server.url).map(Text::written);
    let secrets = server.env.values().chain(server.headers.values()).map(Secret::written);
    match texts.chain(secrets).find(|text| text.contains('\n') || printable(text) != **text) {
        Some(text) => {
            Err(format!("the value \"{}\" holds a line break or an invisible character", one_line(text, 64)))
        }
        None => Ok(()),
    }
}

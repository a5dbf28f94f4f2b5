//! The server of a name.

use super::run::AddArgs;
use crate::{command::registry::registry, error::CliError, exit::Exit, options::Options, output::note};
use mgp_discovery::{
    config::{Auth, ServerConfig, ServerOAuth},
    public_registry::{Argument, Entry, EntryStatus, Input, Need, Package, Remote, UnusableWay, Way, ways},
};

/// The beginnings of names of packages, with the kinds of registries.
const RUNNERS: [(&str, &str); 4] = [("npx:", "npm"), ("uvx:", "pypi"), ("dnx:", "nuget"), ("docker:", "oci")];

/// A server that was found by its name.
#[derive(Debug)]
pub(super) struct FoundServer {
    /// The name and version, with the description of a registry.
    pub(super) title: String,
    /// The way to run or reach it, in a few words.
    pub(super) way: String,
    pub(super) server: ServerConfig,
    pub(super) needs: Vec<Need>,
}

/// Finds the server that the arguments name.
///
/// # Errors
/// If there is none, or if it cannot be run or reached here.
pub(super) async fn find(options: &Options, args: &AddArgs) -> Result<FoundServer, CliError> {
    let entry = match entry_of(args)? {
        Some(entry) => entry,
        None => registry(options, args.registry.clone()).await?.server(&args.name).await?,
    };
    match entry.status {
        EntryStatus::Active => {}
        EntryStatus::Deprecated => note("it is deprecated: look for its replacement"),
        EntryStatus::Deleted => {
            let error = CliError::new(Exit::NotFound, format!("{} is deleted from the registry", entry.name));
            return Err(error.help("look for another one with `mgp registry search WORDS`"));
        }
    }
    let Way { title, mut server, needs } = chosen(ways(&entry), args.way)?;
    if let Some(id) = &args.id {
        server.id.clone_from(id);
    }
    if server.url.is_some() && !args.env.is_empty() {
        return Err(CliError::usage("a server at a URL has no environment: expected no --env").help(
            "set the variables for the gateway, or write `headers` into its table of the configuration",
        ));
    }
    for (name, value) in &args.env {
        server.env.insert(name.clone(), value.clone().into());
    }
    if args.oauth {
        server.auth = Some(Auth { oauth: Some(ServerOAuth::default()), ..Auth::default() });
    }
    let given = |need: &Need| args.env.iter().any(|(name, _)| *name == need.of || *name == need.variable);
    let needs = needs.into_iter().filter(|need| !given(need)).collect();
    let version = entry.version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
    let description = entry.description.as_deref().map(|text| format!(": {text}")).unwrap_or_default();
    Ok(FoundServer { title: format!("{}{version}{description}", entry.name), way: title, server, needs })
}

/// Returns the entry of a package or URL; `None` for the name of a registry's entry.
fn entry_of(args: &AddArgs) -> Result<Option<Entry>, CliError> {
    let name = args.name.as_str();
    if name.starts_with("https://") || name.starts_with("http://") {
        if !args.args.is_empty() || !args.env.is_empty() {
            return Err(CliError::usage("a server at a URL gets no arguments and no --env")
                .help("its headers stand in its table of the configuration, as `headers`"));
        }
        let remote = Remote { kind: "streamable-http".to_owned(), url: name.to_owned(), ..Remote::default() };
        let host = name.split('/').nth(2).unwrap_or_default();
        let host = host.rsplit('@').next().unwrap_or_default().split(':').next().unwrap_or_default();
        let remotes = Some(vec![remote]);
        return Ok(Some(Entry { name: host.replace('.', "-"), remotes, ..Entry::default() }));
    }
    if args.oauth {
        return Err(CliError::usage(
            "--oauth is for a server at a URL: expected https://HOST/PATH as its name",
        ));
    }
    let Some((kind, package)) =
        RUNNERS.iter().find_map(|(prefix, kind)| Some((*kind, name.strip_prefix(prefix)?)))
    else {
        if !args.args.is_empty() {
            return Err(CliError::usage("arguments are for a package, such as npx:NAME")
                .help("change the entry after it was added: its arguments are `args`"));
        }
        return match name.split_once(':') {
            Some((prefix, _)) => Err(CliError::usage(format!(
                "no packages begin with {prefix:?}: expected npx:, uvx:, dnx:, docker:, https:// or the name of an entry, such as com.example/notes"
            ))),
            None => Ok(None),
        };
    };
    // A version follows the name, after the @ of a scope.
    let at = package.char_indices().skip(1).find(|(_, c)| *c == '@').map(|(at, _)| at);
    let (identifier, version) = match at.filter(|_| kind != "oci") {
        Some(at) => (&package[..at], Some(package[at + 1..].to_owned())),
        None => (package, None),
    };
    let argument = |value: &String| Argument {
        input: Input { value: Some(value.clone()), ..Input::default() },
        ..Argument::default()
    };
    let variable = |(name, value): &(String, String)| Input {
        name: Some(name.clone()),
        value: Some(value.clone()),
        ..Input::default()
    };
    let package = Package {
        registry_type: kind.to_owned(),
        identifier: identifier.to_owned(),
        version,
        package_arguments: Some(args.args.iter().map(argument).collect()),
        environment_variables: Some(args.env.iter().map(variable).collect()),
        ..Package::default()
    };
    let short = identifier.rsplit('/').next().unwrap_or_default();
    let short = short.split([':', '@']).next().unwrap_or_default();
    Ok(Some(Entry { name: short.to_owned(), packages: Some(vec![package]), ..Entry::default() }))
}

/// Returns the way with the number `asked`, counted from 1, or the first usable one.
fn chosen(found: Vec<Result<Way, UnusableWay>>, asked: Option<u8>) -> Result<Way, CliError> {
    let count = found.len();
    let index = match asked {
        Some(number) => usize::from(number) - 1,
        None => found.iter().position(Result::is_ok).unwrap_or_default(),
    };
    match found.into_iter().nth(index) {
        Some(Ok(way)) => Ok(way),
        Some(Err(UnusableWay { title, reason })) => {
            Err(CliError::failed(format!("{title} cannot be taken: {reason}")))
        }
        None if count == 0 => {
            Err(CliError::new(Exit::NotFound, "the registry names no way to run or reach this server"))
        }
        None => Err(CliError::new(
            Exit::NotFound,
            format!("there is no way {}: expected 1 to {count}", index + 1),
        )),
    }
}

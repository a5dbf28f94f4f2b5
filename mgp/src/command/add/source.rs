//! The server of a name.

use super::run::AddArgs;
use crate::{
    command::registry::{chosen, registry},
    error::CliError,
    exit::Exit,
    meant::question,
    options::Options,
    output::note,
};
use mgp_discovery::{
    config::{Auth, ServerConfig, ServerOAuth},
    public_registry::{
        Argument, Entry, EntryStatus, Input, Need, Package, Remote, UnusableWay, Way, ways, ways_with,
    },
};
use std::collections::{BTreeMap, BTreeSet};

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
    let given = given(args)?;
    let filled = with_variables(entry.clone(), args);
    // Chosen without the values: one that does not fit must not choose another way.
    let index = chosen(&ways(&entry), args.way)?;
    let way = ways_with(&filled, &given).into_iter().nth(index);
    let Way { title, mut server, needs, used } = match way {
        Some(Ok(way)) => way,
        Some(Err(UnusableWay { title, reason })) => {
            return Err(CliError::usage(format!("{title} cannot be taken with these values: {reason}")));
        }
        None => return Err(CliError::failed("there is no such way")),
    };
    if server.url.is_some() && !args.env.is_empty() {
        return Err(CliError::usage("a server at a URL has no environment: expected no --env")
            .help("--set gives the values of its headers"));
    }
    if let Some((name, _)) = args.set.iter().find(|(name, _)| !used.contains(name)) {
        let mut known: Vec<&str> = needs.iter().map(|need| need.of.as_str()).collect();
        known.extend(used.iter().map(String::as_str));
        let error = CliError::usage(format!("it has no value {name:?} to set"));
        return Err(match known[..] {
            [] => error.help("it asks for none; --env sets a variable of a program, and arguments follow --"),
            _ => {
                let question = question(name, known.iter().copied());
                error.help(format!(
                    "{question}expected one of {}; --env sets any other variable",
                    known.join(", ")
                ))
            }
        });
    }
    if let Some(id) = &args.id {
        server.id.clone_from(id);
    }
    // In the package they were literal.
    server.env.extend(args.env.iter().map(|(name, value)| (name.clone(), value.clone().into())));
    if args.oauth {
        server.auth = Some(Auth { oauth: Some(ServerOAuth::default()), ..Auth::default() });
    }
    let version = entry.version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
    let description = entry.description.as_deref().map(|text| format!(": {text}")).unwrap_or_default();
    Ok(FoundServer { title: format!("{}{version}{description}", entry.name), way: title, server, needs })
}

/// Returns the values for the inputs of an entry, by their names.
fn given(args: &AddArgs) -> Result<BTreeMap<String, String>, CliError> {
    let mut names = BTreeSet::new();
    if let Some((name, _)) = args.env.iter().chain(&args.set).find(|(name, _)| !names.insert(name)) {
        return Err(CliError::usage(format!("{name} is given twice: expected one value")));
    }
    Ok(args.set.iter().cloned().collect())
}

/// Adds the variables of the command line to the packages of an entry, also those that the entry does not name.
fn with_variables(mut entry: Entry, args: &AddArgs) -> Entry {
    for package in entry.packages.iter_mut().flatten() {
        let variables = package.environment_variables.get_or_insert_default();
        for (name, value) in &args.env {
            variables.retain(|known| known.name.as_ref() != Some(name));
            let (name, value) = (Some(name.clone()), Some(value.clone()));
            variables.push(Input { name, value, ..Input::default() });
        }
    }
    entry
}

/// Returns the entry of a package or URL; `None` for the name of a registry's entry.
fn entry_of(args: &AddArgs) -> Result<Option<Entry>, CliError> {
    let name = args.name.as_str();
    if name.starts_with("https://") || name.starts_with("http://") {
        if !args.args.is_empty() || !args.env.is_empty() {
            return Err(CliError::usage("a server at a URL gets no arguments and no --env").help(
                "--set NAME=VALUE sets a header, such as --set Authorization='Bearer ${keyring:NAME}'",
            ));
        }
        let header = |(name, _): &(String, String)| Input { name: Some(name.clone()), ..Input::default() };
        let headers = args.set.iter().map(header).collect();
        let remote = Remote {
            kind: "streamable-http".to_owned(),
            url: name.to_owned(),
            headers: Some(headers),
            ..Remote::default()
        };
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
    let package = Package {
        registry_type: kind.to_owned(),
        identifier: identifier.to_owned(),
        version,
        package_arguments: Some(args.args.iter().map(argument).collect()),
        ..Package::default()
    };
    let short = identifier.rsplit('/').next().unwrap_or_default();
    let short = short.split([':', '@']).next().unwrap_or_default();
    Ok(Some(Entry { name: short.to_owned(), packages: Some(vec![package]), ..Entry::default() }))
}

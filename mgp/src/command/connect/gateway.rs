//! The gateway's own file, to which the servers of hosts are added.

use crate::{
    command::{
        init::{check, file, separate, sources::Servers, take_variables},
        secrets::KeyMover,
    },
    error::CliError,
    exit::Exit,
};
use mgp_discovery::{
    config::{Config, ServerConfig, server_id},
    locate::Environment,
};
use mgp_store::private_file::PrivateFile;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// The gateway's file, with the servers that were added to it.
#[derive(Debug)]
pub(in crate::command) struct GatewayFile {
    pub(in crate::command) path: PathBuf,
    /// The text; `None` before the file is made.
    text: Option<String>,
    /// The text that the file has now; `None` if there is no file.
    on_disk: Option<String>,
    agent: String,
    /// True if the file is new.
    pub(super) is_new: bool,
    is_written: bool,
    /// The ids of the servers that were added.
    pub(in crate::command) added: Vec<String>,
    pub(in crate::command) remarks: Vec<String>,
}

impl GatewayFile {
    /// Reads the file at a path, if there is one. `agent` is the agent of a new file.
    pub(in crate::command) fn read(path: PathBuf, agent: &str) -> Result<Self, CliError> {
        let text = match fs::read_to_string(&path) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => {
                let reason = format!("failed to read {}: {error}", path.display());
                return Err(CliError::new(Exit::Configuration, reason));
            }
        };
        let known = text.as_ref().map(|text| Config::parse(&path, text.as_bytes(), &|_| Some(String::new())));
        let agent = known.transpose()?.map_or_else(|| agent.to_owned(), |config| config.kernel.agent);
        let (is_new, is_written) = (text.is_none(), text.is_some());
        Ok(Self {
            path,
            on_disk: text.clone(),
            text,
            agent,
            is_new,
            is_written,
            added: Vec::new(),
            remarks: Vec::new(),
        })
    }

    /// Adds servers that the file does not have yet, under free ids, and the grants for them.
    ///
    /// # Errors
    /// If a server cannot be used, or if the file has a form to which nothing can be added. Then no key is stored.
    pub(in crate::command) fn add(
        &mut self,
        environment: &Environment,
        source: &str,
        mut found: Servers,
        keys: &mut KeyMover,
    ) -> Result<(), CliError> {
        take_variables(environment, &mut found);
        separate(&mut found);
        let known = match &self.text {
            // Values of variables are not needed here.
            Some(text) => Config::parse(&self.path, text.as_bytes(), &|_| Some(String::new()))?.servers,
            None => Vec::new(),
        };
        let mut fresh: Vec<ServerConfig> = Vec::new();
        let mut offered = BTreeMap::new();
        for mut server in found.servers.drain(..) {
            if known.iter().chain(&fresh).any(|known| is_same(&keys.with_secrets(known), &server)) {
                continue;
            }
            let id = server.id.clone();
            let is_taken = |id: &str| known.iter().chain(&fresh).any(|known| known.id == id);
            if is_taken(&id) {
                let free = (2..=known.len() + fresh.len() + 2).map(|number| format!("{id}-{number}"));
                let mut free = free.filter(|free| !is_taken(free) && server_id(free).is_ok());
                server.id = free.next().ok_or_else(|| {
                    CliError::new(Exit::Configuration, format!("{source}: no id is free for {id:?}"))
                        .help("give the server a shorter name in the host's file")
                })?;
                found.remarks.push(format!("{source}: {id:?} is called {} here", server.id));
            }
            if let Some(tools) = found.offered.get(&id) {
                offered.insert(server.id.clone(), tools.clone());
            }
            fresh.push(server);
        }
        self.check_alone(source, &fresh)?;
        found.remarks.extend(keys.take(&mut fresh)?);
        let text = match &self.text {
            None => file::text(&self.agent, &fresh, &offered)?,
            Some(text) if fresh.is_empty() => text.clone(),
            Some(text) => {
                let newline = if text.ends_with('\n') || text.is_empty() { "\n" } else { "\n\n" };
                format!("{text}{newline}{}", file::addition(&self.agent, &fresh, &offered)?)
            }
        };
        found.servers = fresh;
        self.accepts(&text)?;
        check(environment, &self.path, &text, &mut found);
        self.is_written &= self.text.as_ref() == Some(&text);
        self.text = Some(text);
        self.added.extend(found.servers.iter().map(|server| server.id.clone()));
        self.remarks.extend(found.remarks);
        self.remarks.sort();
        self.remarks.dedup();
        Ok(())
    }

    /// Checks each server by itself. The names and values of other programs may be unusable, and would make the whole file unusable.
    fn check_alone(&self, source: &str, fresh: &[ServerConfig]) -> Result<(), CliError> {
        for server in fresh {
            let text = file::text(&self.agent, std::slice::from_ref(server), &BTreeMap::new())?;
            let parsed = Config::parse(&self.path, text.as_bytes(), &|_| Some(String::new()));
            let Err(error) = parsed else { continue };
            let problem = error.problems().first().map_or_else(|| error.to_string(), ToString::to_string);
            let problem = problem.strip_prefix("servers[0].").unwrap_or(&problem);
            let reason = format!("{source}: the server {:?} cannot be used: {problem}", server.id);
            return Err(CliError::new(Exit::Configuration, reason)
                .help("nothing was written: change the server in the host's file, or remove it there"));
        }
        Ok(())
    }

    /// Checks that a text which servers were added to is still a configuration.
    fn accepts(&self, text: &str) -> Result<(), CliError> {
        let result = Config::parse(&self.path, text.as_bytes(), &|_| Some(String::new()));
        if result.is_err() && !self.is_new {
            let reason = format!("{}: servers cannot be added at its end", self.path.display());
            return Err(CliError::new(Exit::Configuration, reason)
                .help("write `servers` and `access.grants` as [[servers]] and [[access.grants]] tables"));
        }
        Ok(())
    }

    /// Writes the file, so that only its owner can read it.
    pub(in crate::command) fn write(&mut self) -> Result<(), CliError> {
        let Some(text) = self.text.as_ref().filter(|_| !self.is_written) else { return Ok(()) };
        let real = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        if fs::read_to_string(&real).ok() != self.on_disk {
            let reason = format!("{} has changed meanwhile", real.display());
            return Err(
                CliError::new(Exit::Configuration, reason).help("nothing was written; run the command again")
            );
        }
        let written = real.parent().map_or(Ok(()), fs::create_dir_all);
        let written = written.and_then(|()| PrivateFile::new(&real).replace(text.as_bytes()));
        written.map_err(|error| {
            CliError::new(Exit::Configuration, format!("failed to write {}: {error}", real.display()))
        })?;
        self.on_disk = Some(text.clone());
        self.is_written = true;
        Ok(())
    }

    /// Returns the text of a file that was made.
    pub(super) fn new_text(&self) -> Option<(&Path, &str)> {
        self.text.as_deref().filter(|_| self.is_new).map(|text| (&*self.path, text))
    }
}

/// Returns whether two servers are started, or reached, in the same way.
fn is_same(one: &ServerConfig, other: &ServerConfig) -> bool {
    let of = |server: &ServerConfig| {
        let mut table = toml::Table::try_from(server).unwrap_or_default();
        let keys = ["command", "args", "cwd", "env", "url", "headers"];
        table.retain(|key, _| keys.contains(&key));
        table
    };
    of(one) == of(other)
}

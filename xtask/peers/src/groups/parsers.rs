//! A server whose definitions, answers and greeting break MCP's schema, behind our kernel: the parsers of the official SDKs read the
//! repaired ones.

use crate::{
    json::Normal,
    peers::{Answer, Call, HostClient, HostResults, Instance, Kernel, Reach, Upstream},
    rows::{Context, Row, row},
    tap::Command,
    workspace,
};
use mgp_client_sdk::Era;

/// The hosts: Inspector's first generation has the first version of the TypeScript SDK. Each gets different odd values.
const HOSTS: [HostClient; 6] = [
    HostClient::Inspector1,
    HostClient::TypeScript(Era::Initialize),
    HostClient::TypeScript(Era::Stateless),
    HostClient::Python1,
    HostClient::Python2(Era::Initialize),
    HostClient::Python2(Era::Stateless),
];

/// The number of odd answers that a host reads.
const ANSWERS: usize = 60;
/// The least numbers of tools, resources and prompts that a host must list, of 3,000, 300 and 300.
const LEAST: [usize; 3] = [1_500, 150, 150];

pub(super) fn rows() -> Vec<Row> {
    let row = |(seed, client): (usize, HostClient)| {
        let run = move |context| run(context, client, seed);
        row(format!("parsers/{}", client.name()), client.packages(), run).programs(&["python3"])
    };
    HOSTS.into_iter().enumerate().map(row).collect()
}

async fn run(context: Context, client: HostClient, seed: usize) -> Result<(), String> {
    let script = workspace::scripts().join("breaks_schema.py");
    let server = Command::new("python3").args([script.to_string_lossy().into_owned(), seed.to_string()]);
    let upstream = Upstream::new("odd", Instance::Child(server));
    let kernel = Kernel::configure(&context, "full", &[], vec![upstream])?;
    let reach = Reach::Command(kernel.stdio(&context));
    let count = if client.connects_for_each() { 1 } else { ANSWERS };
    let calls: Vec<_> = (0..count).map(|n| Call::new("answer", &format!(r#"{{"n":{n}}}"#))).collect();
    lists(&client.play(&context.folder, &reach, &calls).await?)
}

/// Checks that one odd definition costs a host only that definition.
fn lists(played: &HostResults) -> Result<(), String> {
    let [tools, resources, prompts] = LEAST;
    has(&played.tools, "tools", ("name", ["first", "last"]), tools)?;
    if let Some(list) = &played.resources {
        has(list, "resources", ("uri", ["odd://first", "odd://last"]), resources)?;
    }
    if let Some(list) = &played.prompts {
        has(list, "prompts", ("name", ["first", "last"]), prompts)?;
    }
    Ok(())
}

/// Checks that a list has the two valid entries, and at least this many others.
fn has(list: &Answer, key: &str, (member, valid): (&str, [&str; 2]), least: usize) -> Result<(), String> {
    let Some(Normal::List(entries)) = list.0.get(key) else {
        return Err(format!("the host has no list of {key}"));
    };
    let is_listed = |name: &str| {
        let is_it = |entry: &Normal| matches!(entry.get(member), Some(Normal::Text(text)) if text == name);
        entries.iter().any(is_it)
    };
    if let Some(missing) = valid.into_iter().find(|name| !is_listed(name)) {
        return Err(format!("the host does not list {missing} among its {} {key}", entries.len()));
    }
    if entries.len() < least {
        return Err(format!("the host lists {} {key}, expected at least {least}", entries.len()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_must_have_its_valid_and_most_other_entries() {
        let list = |names: &[&str]| {
            let tools: Vec<_> = names.iter().map(|name| format!(r#"{{"name":"{name}"}}"#)).collect();
            Answer(Normal::parse(&format!(r#"{{"tools":[{}]}}"#, tools.join(","))).unwrap())
        };
        let check = |names: &[&str], least| has(&list(names), "tools", ("name", ["first", "last"]), least);
        assert_eq!(check(&["first", "odd", "last"], 3), Ok(()));
        assert!(check(&["first", "odd"], 1).unwrap_err().contains("does not list last"));
        assert!(check(&["first", "last"], 3).unwrap_err().contains("expected at least 3"));
    }
}

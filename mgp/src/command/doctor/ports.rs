//! The addresses that the gateway listens at.

use super::{
    context::Context,
    finding::{Finding, Kind, Remedy},
};
use mgp_transport::http::server::{ServeError, TextPage};
use std::{io, net::SocketAddr, time::Duration};

/// The time limit of an attempt to listen.
const LIMIT: Duration = Duration::from_secs(5);

/// Tries whether the addresses of the configuration are free. One that a gateway has is in use as it should be.
pub(super) async fn check(context: &Context) -> Vec<Finding> {
    let Some(config) = &context.config else { return Vec::new() };
    let addresses = [
        ("http.listen", config.http.listen),
        ("telemetry.metrics", config.telemetry.metrics),
        ("replicas.listen", config.replicas.listen),
    ];
    let mut findings = Vec::new();
    for (key, address) in addresses {
        if let Some(address) = address {
            findings.extend(check_address(key, address).await);
        }
    }
    findings
}

async fn check_address(key: &str, address: SocketAddr) -> Option<Finding> {
    let page = TextPage::new("/", "text/plain", String::new).open_to_all();
    let bound = tokio::time::timeout(LIMIT, page.bind(address)).await.ok()?;
    let Err(ServeError::Bind { error, .. } | ServeError::Listen(error)) = bound else { return None };
    let remedy = Remedy::Key(key.to_owned());
    if error.kind() != io::ErrorKind::AddrInUse {
        let problem = format!("{key} = {address} cannot be used: {error}");
        return Some(Finding::new(Kind::PortUnusable, problem, remedy));
    }
    let holder = tokio::task::spawn_blocking(move || holder(address.port())).await.ok().flatten();
    if holder.as_ref().is_some_and(|(_, name)| name == "mgp") {
        return None;
    }
    let by = holder.map(|(pid, name)| format!("process {pid} ({name})"));
    let problem = format!("{key} = {address} is used by {}", by.as_deref().unwrap_or("another program"));
    Some(Finding::new(Kind::PortTaken, problem, remedy))
}

/// Returns the process that listens at a port, with its name, if this account can see it.
#[cfg(target_os = "linux")]
fn holder(port: u16) -> Option<(u32, String)> {
    use std::fs;
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(|path| fs::read_to_string(path).unwrap_or_default());
    let inode = tables.iter().flat_map(|table| table.lines()).find_map(|line| {
        let fields: Vec<_> = line.split_whitespace().collect();
        // The fourth field is the state, and 0A stands for listening.
        let is_listening = *fields.get(3)? == "0A" && fields[1].ends_with(&format!(":{port:04X}"));
        fields.get(9).filter(|_| is_listening).map(|inode| format!("socket:[{inode}]"))
    })?;
    let processes = fs::read_dir("/proc").ok()?.filter_map(Result::ok);
    let holds = |folder: &std::path::Path| {
        let files = fs::read_dir(folder.join("fd")).into_iter().flatten().filter_map(Result::ok);
        let mut links = files.filter_map(|file| fs::read_link(file.path()).ok());
        links.any(|link| link.as_os_str() == inode.as_str())
    };
    processes.into_iter().find_map(|entry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let name = holds(&entry.path()).then(|| fs::read_to_string(entry.path().join("comm")).ok())??;
        Some((pid, name.trim_end().to_owned()))
    })
}

#[cfg(not(target_os = "linux"))]
fn holder(_: u16) -> Option<(u32, String)> {
    None
}

//! The gateway's configuration: the gateway accepts it, and its addresses are those of the other manifests.

use super::manifests::{Findings, unmet};
use crate::objects::Objects;
use mgp_discovery::config::Config;
use std::{net::SocketAddr, path::Path};

/// Returns the problems that the gateway finds in its configuration.
pub(super) fn accepted(objects: &Objects) -> Findings {
    let config = match parse(objects) {
        Ok(config) => config,
        Err(reason) => return Ok(vec![reason]),
    };
    let faults = config.servers.iter().filter_map(|server| server.fault.as_ref());
    Ok(faults.map(|fault| format!("mgp.toml: {fault}")).collect())
}

/// Returns the addresses of the configuration that do not fit the pod and the Service.
pub(super) fn addresses(objects: &Objects) -> Findings {
    let Ok(config) = parse(objects) else { return Ok(Vec::new()) };
    let name = objects.required("Service")?["metadata"]["name"].as_str().unwrap_or_default();
    let port = |address: Option<SocketAddr>| {
        address.filter(|address| address.ip().is_unspecified()).map(|address| address.port())
    };
    let advertised = config.replicas.advertise.as_ref().and_then(|address| address.value().parse().ok());
    let is_own = advertised.is_some_and(|address: SocketAddr| {
        pod_ip(objects).parse() == Ok(address.ip()) && Some(address.port()) == port(config.replicas.listen)
    });
    let ingress = objects.get("Ingress").map(|ingress| &ingress["spec"]["rules"][0]["host"]);
    let is_named = |host: &str| config.http.allowed_hosts.iter().any(|allowed| allowed == host);
    Ok(unmet([
        (
            port(config.http.listen) == objects.port("http")?,
            "http.listen is not the port http of all addresses",
        ),
        (
            port(config.replicas.listen) == objects.port("replicas")?,
            "replicas.listen is not the port replicas of all addresses",
        ),
        (is_own, "replicas.advertise is not the pod's own address with the port of replicas.listen"),
        (
            port(config.telemetry.metrics) == objects.port("metrics")?,
            "telemetry.metrics is not the port metrics of all addresses",
        ),
        (is_named(name), "http.allowed_hosts lacks the name of the Service"),
        (
            ingress.is_none_or(|host| host.as_str().is_some_and(is_named)),
            "http.allowed_hosts lacks the host of the Ingress",
        ),
    ]))
}

fn parse(objects: &Objects) -> Result<Config, String> {
    let map = objects.required("ConfigMap")?;
    let text = map["data"]["mgp.toml"].as_str().ok_or("the ConfigMap has no mgp.toml")?;
    let variables = objects.variables()?;
    // The value of a variable from elsewhere is not known, except for the pod's address.
    let lookup = |name: &str| match name {
        "POD_IP" => variables.contains_key(name).then(|| pod_ip(objects).to_owned()),
        _ => variables.get(name).map(|value| value.clone().unwrap_or_else(|| "value".to_owned())),
    };
    Config::parse(Path::new("mgp.toml"), text.as_bytes(), &lookup).map_err(|error| match error.problems() {
        [] => error.to_string(),
        problems => {
            format!("mgp.toml: {}", problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
        }
    })
}

/// Returns an address as a pod has it, of the family of the configuration.
fn pod_ip(objects: &Objects) -> &'static str {
    let map = objects.get("ConfigMap").and_then(|map| map["data"]["mgp.toml"].as_str());
    if map.is_some_and(|text| text.contains("\"[::]:")) { "fd00:10::5" } else { "10.0.0.5" }
}

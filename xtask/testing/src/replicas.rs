//! Replicas of the gateway on one database, behind a balancer.

use crate::{
    balancer::{BALANCER_HOST, NO_HAPROXY, haproxy},
    postgres::has_postgres,
};

/// Returns the reason why this machine cannot run replicas behind a balancer; `None` if it can. `command` is the caller's own command, which
/// `cargo xtask postgres` starts with a database.
#[must_use]
pub fn replicas_obstacle(command: &str) -> Option<String> {
    obstacle(command, has_postgres(), haproxy().is_some())
}

fn obstacle(command: &str, has_postgres: bool, has_haproxy: bool) -> Option<String> {
    if !has_postgres {
        return Some(format!("PostgreSQL does not run: `cargo xtask postgres {command}` starts it"));
    }
    (!has_haproxy).then(|| NO_HAPROXY.to_owned())
}

/// Returns the tables of a replica's configuration: its database, a free port for other replicas, and the host of the balancer's health check.
#[must_use]
pub fn replica_tables(database: &str) -> String {
    format!(
        "[store]\nurl = {database:?}\n\n[replicas]\nlisten = \"127.0.0.1:0\"\n\n[http]\nallowed_hosts = [{BALANCER_HOST:?}]\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replicas_need_a_database_and_a_balancer() {
        let no_database = "PostgreSQL does not run: `cargo xtask postgres cargo xtask peers` starts it";
        assert_eq!(obstacle("cargo xtask peers", false, true).as_deref(), Some(no_database));
        assert_eq!(obstacle("cargo xtask peers", true, false).as_deref(), Some(NO_HAPROXY));
        assert_eq!(obstacle("cargo xtask peers", true, true), None);
    }

    #[test]
    fn replicas_accept_the_host_that_the_balancer_names() {
        let balancer = crate::haproxy_configuration("fd@0", &[]).unwrap();
        assert!(balancer.contains(&format!("hdr Host {BALANCER_HOST}\n")), "{balancer}");
        assert!(replica_tables("postgres://x").contains(&format!("allowed_hosts = [\"{BALANCER_HOST}\"]")));
    }
}

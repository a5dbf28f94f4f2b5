//! The name of a process: a digest of everything that defines it.

use crate::upstream::{ServerSpec, endpoint::PartsDigest};
use mgp_security::confine::{ConfinementMode, GrantedPermission};
use mgp_transport::child::ChildCommand;

/// The number of digits of the digest in a name. A socket's path must be short.
const NAME_DIGITS: usize = 32;

/// Returns the name of the process that a server's definition makes. Two kernels share a process only if all parts of the digest are the
/// same:
/// - the program's version and the account
/// - the server's id, command and environment
/// - the confinement and the approved permissions
/// - the host features that the server may use
///
/// The name does not reveal values of variables, which may be secrets.
pub(super) fn name_of(
    spec: &ServerSpec,
    command: &ChildCommand,
    granted: &[GrantedPermission],
    account: u32,
) -> String {
    let mut digest = PartsDigest::default();
    digest.part(env!("CARGO_PKG_VERSION"));
    digest.part(account.to_be_bytes());
    digest.part(&spec.id);
    command.for_each_part(&mut |part| digest.part(part));
    digest.part(format!("{:?}", spec.trust));
    digest.part(format!("{:?}", spec.confinement));
    digest.part(format!("{granted:?}"));
    digest.part(format!("{:?}", spec.host_features));
    if spec.confinement.mode_for(spec.trust) != ConfinementMode::Off {
        digest.part(format!("{:?}", spec.kernel_files.others));
    }
    let mut name = digest.finish();
    name.truncate(NAME_DIGITS);
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::{
        context::TrustLevel,
        permission::{GrantScope, StandardPermission},
    };

    fn spec(command: &ChildCommand) -> ServerSpec {
        ServerSpec::new("a", command.clone())
    }

    #[test]
    fn the_digest_covers_everything_that_starts_a_process() {
        let command = || ChildCommand::new("a", "sh").args(["-c", "x"]).env("KEY", "1");
        let name = |spec: &ServerSpec, command: &ChildCommand, granted: &[GrantedPermission], account| {
            name_of(spec, command, granted, account)
        };
        let plain = spec(&command());
        let first = name(&plain, &command(), &[], 1);
        assert_eq!((name(&plain, &command(), &[], 1), first.len()), (first.clone(), 32));

        let mut names = vec![first, name(&plain, &command(), &[], 2)];
        for other in [
            ChildCommand::new("a", "bash").args(["-c", "x"]).env("KEY", "1"),
            ChildCommand::new("a", "sh").args(["-c", "x", "y"]).env("KEY", "1"),
            ChildCommand::new("a", "sh").args(["-cx"]).env("KEY", "1"),
            command().env("KEY", "2"),
            command().env("MORE", ""),
            command().env("PATH", "/nowhere"),
            command().env("TERM", "dumb"),
            command().cwd("/"),
        ] {
            names.push(name(&plain, &other, &[], 1));
        }
        let changes: [fn(&mut ServerSpec); 7] = [
            |spec| spec.id = "b".into(),
            |spec| spec.trust = TrustLevel::Trusted,
            |spec| spec.confinement.limits.memory_mb = Some(5),
            |spec| spec.confinement.read.push("/x".into()),
            |spec| spec.host_features.clear(),
            |spec| spec.trust = TrustLevel::Sandboxed,
            |spec| {
                spec.trust = TrustLevel::Sandboxed;
                spec.kernel_files.others.push("/configuration".into());
            },
        ];
        for change in changes {
            let mut other = spec(&command());
            change(&mut other);
            names.push(name(&other, &command(), &[], 1));
        }
        let limited = |host: &str| GrantedPermission {
            permission: StandardPermission::FilesystemRead,
            scope: Some(GrantScope::Programs(vec![host.to_owned()])),
        };
        for granted in
            [vec![StandardPermission::FilesystemRead.into()], vec![limited("x")], vec![limited("y")]]
        {
            names.push(name(&plain, &command(), &granted, 1));
        }
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count, "two definitions have the same name");
    }

    #[test]
    fn the_digest_ignores_the_order_of_variables() {
        let one = ChildCommand::new("a", "sh").env("A", "1").env("B", "2");
        let other = ChildCommand::new("a", "sh").env("B", "2").env("A", "0").env("A", "1");
        assert_eq!(name_of(&spec(&one), &one, &[], 1), name_of(&spec(&other), &other, &[], 1));
    }
}

//! Checks the packages one after the other, and prints a row for each.

use super::{
    hosts::{self, Hosts},
    installation::{Container, Installation},
    shim,
    steps::Steps,
    user::User,
};
use crate::{packages::Kind, process, release::Release};
use std::{path::Path, time::Duration};
use xtask_install::is_strict;

/// The longest time from a package to the first call, besides downloads.
const MAX_TIME: Duration = Duration::from_secs(30);

/// Checks the packages that were made, and prints a row for each.
pub(crate) async fn run(
    release: &Release,
    folder: &Path,
    made: &[Kind],
    skipped: usize,
    root: Option<&Path>,
) -> Result<(), String> {
    let hosts = match Hosts::install(folder).await {
        Ok(hosts) => hosts,
        Err(error) if is_strict() => return Err(error),
        Err(error) => {
            println!("skipped: {error}\n0 passed, 0 failed, {} skipped", made.len() + skipped);
            return Ok(());
        }
    };
    println!("\n{:<8} {:>7}  seconds of each step", "package", "seconds");
    let (mut passed, mut failed, mut skipped) = (0, 0, skipped);
    for kind in made {
        if let Some(why) = why_not(*kind, root) {
            println!("{:<8} skipped: {why}", kind.name());
            skipped += 1;
            continue;
        }
        let mut steps = Steps::default();
        let result = Box::pin(check(*kind, release, folder, root, &hosts, &mut steps)).await;
        let total = steps.total();
        println!("{:<8} {:>7.1}  {}", kind.name(), total.as_secs_f64(), steps.text());
        let result = result.and_then(|()| {
            let late = || format!("took {total:?} to the first calls, expected at most {MAX_TIME:?}");
            if total <= MAX_TIME { Ok(()) } else { Err(late()) }
        });
        match result {
            Ok(()) => passed += 1,
            Err(error) => {
                println!("{:<8} FAILED: {error}", kind.name());
                failed += 1;
            }
        }
    }
    println!("\n{passed} passed, {failed} failed, {skipped} skipped");
    if failed == 0 { Ok(()) } else { Err(format!("{failed} packages failed")) }
}

/// Returns the reason why a kind cannot be checked with this root folder, or without one.
fn why_not(kind: Kind, root: Option<&Path>) -> Option<String> {
    let Some(root) = root else {
        let needs_root = matches!(kind, Kind::Deb | Kind::Rpm | Kind::Image);
        return needs_root.then(|| "it is checked only with --root".to_owned());
    };
    let needed = match kind {
        Kind::Npm => "usr/bin/npm",
        Kind::Pypi => "usr/bin/python3",
        _ => "usr/bin/env",
    };
    let is_there = root.join(needed).exists();
    (!is_there).then(|| format!("{} has no /{needed}", root.display()))
}

async fn check(
    kind: Kind,
    release: &Release,
    folder: &Path,
    root: Option<&Path>,
    hosts: &Hosts,
    steps: &mut Steps,
) -> Result<(), String> {
    if kind == Kind::Image {
        return image(release, hosts, steps).await;
    }
    let user = User::make(folder, root).await?;
    let installed = Installation::install(kind, release, folder, &user, steps).await?;
    let result = Box::pin(use_it(&installed, &user, hosts, steps)).await;
    // The gateway outlives the hosts.
    let stopped = process::ended(user.command(&[&installed.program, "stop"])).await;
    result?;
    stopped?;
    if kind == Kind::Npm {
        shim::check(release, &user, &installed).await?;
    }
    Ok(())
}

/// Uses an installed program as its user does.
async fn use_it(
    installed: &Installation,
    user: &User,
    hosts: &Hosts,
    steps: &mut Steps,
) -> Result<(), String> {
    let version = process::output(user.command(&[&installed.program, "--version"])).await?;
    let expected = format!("installed by {}: ", installed.by);
    if !version.lines().nth(1).is_some_and(|line| line.starts_with(&expected)) {
        return Err(format!("`mgp --version` prints {version:?}, expected {expected:?} in the second line"));
    }
    let update = process::output(user.command(&[&installed.program, "update"])).await?;
    if !update.contains(installed.update) {
        return Err(format!("`mgp update` prints {update:?}, expected {:?} in it", installed.update));
    }
    hosts::prepare(user)?;
    let connect = process::output(user.command(&[&installed.program, "connect", "--yes"]));
    steps.step("connect", connect).await?;
    for host in hosts::ALL {
        let entry = hosts::entry(user, host)?;
        steps.step(host.name(), hosts.call(host, user.words(&entry))).await?;
    }
    Ok(())
}

/// Makes the first calls in a container of the image, on the servers of the demo: there are no hosts in it to connect.
async fn image(release: &Release, hosts: &Hosts, steps: &mut Steps) -> Result<(), String> {
    let container = Container::start(release, steps).await?;
    let result = Box::pin(use_container(&container, release, hosts, steps)).await;
    container.remove().await.and(result)
}

async fn use_container(
    container: &Container,
    release: &Release,
    hosts: &Hosts,
    steps: &mut Steps,
) -> Result<(), String> {
    let version = process::output(container.command(&["/usr/bin/mgp", "--version"])).await?;
    let expected = format!("installed by an image as {}: ", release.image());
    if !version.contains(&expected) {
        return Err(format!("`mgp --version` prints {version:?}, expected {expected:?}"));
    }
    for host in hosts::ALL {
        let entry = container.words(&["/usr/bin/mgp", "serve", "--demo", "--exposure", "full"]);
        steps.step(host.name(), hosts.call(host, entry)).await?;
    }
    Ok(())
}

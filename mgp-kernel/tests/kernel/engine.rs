//! The stores of the tests' kernels: of SQLite, or of PostgreSQL where `MGP_TEST_STORES` is `postgres`.

use mgp_kernel::{StateFolder, Stores};
use std::{env, path::Path, time::Duration};

/// The variable that chooses the engine.
const VARIABLE: &str = "MGP_TEST_STORES";

/// Returns new stores, without those of listings, and of limits a minute and kept results: tests of these pause the clock later.
pub(crate) async fn stores() -> Stores {
    if !is_postgres() || is_clock_paused() {
        return Stores::default();
    }
    let folder = tempfile::tempdir().unwrap();
    let all = state(folder.path()).await.stores().await.unwrap();
    Stores { listings: None, limits: None, references: None, ..all }
}

/// Opens a state folder. Handles to one folder share their tables.
pub(crate) async fn state(folder: &Path) -> StateFolder {
    let state = StateFolder::open(folder).unwrap();
    if !is_postgres() || is_clock_paused() {
        return state;
    }
    in_postgres(state).await
}

#[cfg(feature = "postgres")]
async fn in_postgres(state: StateFolder) -> StateFolder {
    let kept = state.path().join("postgres-url");
    let url = match std::fs::read_to_string(&kept) {
        Ok(url) => url,
        Err(_) => {
            let url = xtask_testing::postgres().await.expect("MGP_TEST_STORES needs MGP_TEST_POSTGRES");
            std::fs::write(kept, &url).unwrap();
            url
        }
    };
    state.with_postgres(&url).unwrap()
}

#[cfg(not(feature = "postgres"))]
async fn in_postgres(_: StateFolder) -> StateFolder {
    panic!("{VARIABLE} is postgres, which needs the feature postgres")
}

/// # Panics
/// If the variable has another value than `sqlite` or `postgres`.
fn is_postgres() -> bool {
    match env::var(VARIABLE).as_deref() {
        Err(_) | Ok("sqlite") => false,
        Ok("postgres") => true,
        Ok(other) => panic!("{VARIABLE} is {other:?}: expected sqlite or postgres"),
    }
}

/// Returns whether the clock of the runtime is paused. It jumps ahead while a connection waits for the database, past every time limit.
fn is_clock_paused() -> bool {
    let before = tokio::time::Instant::now();
    std::thread::sleep(Duration::from_micros(1));
    tokio::time::Instant::now() == before
}

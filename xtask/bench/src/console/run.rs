//! Runs the gateway, the calls and the consoles.

use super::{
    browser::Browser,
    calls::SteadyCalls,
    events,
    pages::pages,
    rows::{call_rows, memory_row, page_row},
    server::server_id,
};
use crate::{
    adder::NAME,
    gateway::{self, Target, myself},
    measure::{Settings, run_prepared},
    report::Row,
    wire::{Era, HttpCaller},
};
use std::{fmt::Write as _, path::PathBuf, time::Duration};
use tokio::time::{Instant, sleep};

const SERVERS: usize = 100;
const EVENTS: usize = 1_000_000;
const CONSOLES: usize = 5;
/// The time for which calls are made without consoles.
const WITHOUT: Duration = Duration::from_secs(20);
/// The time limit for all servers to connect.
const CONNECTED: Duration = Duration::from_secs(300);
/// The pause in which an open page reads itself again.
const RENEWED: Duration = Duration::from_secs(5);

/// Runs the bench.
pub(crate) fn run(settings: &Settings) -> Result<Vec<Row>, String> {
    run_prepared(settings, gateway::program(settings), measure)
}

async fn measure(settings: Settings, mgp: PathBuf) -> Result<Vec<Row>, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("failed to make a folder: {error}"))?;
    let state = folder.path().join(gateway::STATE);
    events::fill(&state, EVENTS, SERVERS).await?;
    let myself = myself()?;
    let tables = (0..SERVERS).fold(String::new(), |mut tables, number| {
        let id = server_id(number);
        // Writing to a string cannot fail.
        let _ = write!(
            tables,
            "[[servers]]\nid = {id:?}\ncommand = {myself:?}\nargs = [\"--tools\", \"{number}\"]\n\n"
        );
        tables
    });
    let (process, address) = gateway::start(&mgp, &Target::Child(myself), &tables, folder.path()).await?;
    let config = folder.path().join("mgp.toml");
    let browser = Browser::sign_in(&mgp, &config, &state).await?;
    all_connected(&browser).await?;

    let mut calls =
        SteadyCalls::start(HttpCaller::connect(address, gateway::PATH, NAME, Era::Session).await?);
    sleep(WITHOUT).await;
    let (without, memory_without) = (calls.take().await?, process.memory());
    let mut open = Vec::new();
    for _ in 0..CONSOLES {
        let browser = Browser::sign_in(&mgp, &config, &state).await?;
        open.push(tokio::spawn({
            let browser = browser.clone();
            async move { browser.follow("/live").await }
        }));
        open.push(tokio::spawn(async move {
            loop {
                browser.get("/now").await?;
                sleep(RENEWED).await;
            }
        }));
    }
    calls.take().await?;
    let mut rows = Vec::new();
    for page in pages() {
        let (mut times, mut bytes) = (Vec::new(), 0);
        for _ in 0..settings.rounds {
            let answer = browser.get(&page).await?;
            if answer.status != 200 {
                return Err(format!("{page} was answered with {}: {}", answer.status, answer.body));
            }
            times.push(answer.took);
            bytes = answer.body.len();
        }
        rows.push(page_row(&page, &times, bytes));
    }
    rows.extend(call_rows(&calls.take().await?, &without));
    rows.push(memory_row(process.memory(), memory_without));
    open.iter().for_each(tokio::task::JoinHandle::abort);
    Ok(rows)
}

/// Waits until no server is on its way.
async fn all_connected(browser: &Browser) -> Result<(), String> {
    let end = Instant::now() + CONNECTED;
    loop {
        let page = browser.get("/servers").await?;
        let others = ["connecting", "registered", "error", "restarting"];
        let is_there = |state: &str| page.body.contains(&format!("data-state=\"{state}\""));
        match others.into_iter().find(|state| is_there(state)) {
            None if page.status == 200 => return Ok(()),
            other if Instant::now() >= end => {
                return Err(format!("the servers are not connected: {other:?}"));
            }
            _ => sleep(Duration::from_secs(1)).await,
        }
    }
}

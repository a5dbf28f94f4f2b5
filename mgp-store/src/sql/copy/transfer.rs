//! Copies tables in one transaction of the target.

use super::{
    clear::has_rows,
    content::TableContent,
    layout::{Layout, Table},
    rows::{each_row, size},
    sequences,
};
use crate::{
    StoreError,
    sql::{Connection, Database, Value},
};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// The largest number of rows in one statement.
const ROWS: usize = 256;
/// The size of a batch, in bytes, after which no row is added to it.
const BATCH_BYTES: usize = 1 << 20;
/// The number of batches that were read and not yet written.
const WAITING: usize = 2;

/// Rows of one table.
struct Batch {
    /// The position of the table in the layout.
    table: usize,
    rows: Vec<Vec<Value<'static>>>,
}

/// A part of what the reader sends to the writer.
enum Part {
    Batch(Batch),
    /// Everything was read. Without it, the writer keeps nothing.
    End,
}

/// Copies the tables of a section into empty tables, in one transaction. Returns the contents that were written, in the order of the layout.
/// Memory holds a few batches at a time.
///
/// # Errors
/// [`StoreError`] of either engine, and for a table of the target that has rows. The target is unchanged then.
///
/// # Panics
/// Outside a tokio runtime.
pub async fn transfer(
    source: &Database,
    target: &Database,
    layout: &Layout,
) -> Result<Vec<TableContent>, StoreError> {
    let (parts, received) = sync_channel(WAITING);
    let (of_source, of_target) = (layout.clone(), layout.clone());
    let reading = source.foresee_for(Vec::new(), move |connection| read(connection, &of_source, &parts));
    let writing = target.write(move |connection| write(connection, &of_target, &received));
    let (read, written) = tokio::join!(reading, writing);
    // The reader stops without an error if the writer has failed.
    read?;
    written
}

fn read(connection: &Connection<'_>, layout: &Layout, parts: &SyncSender<Part>) -> Result<(), StoreError> {
    connection.begin_snapshot()?;
    for (at, table) in layout.tables.iter().enumerate() {
        let (mut rows, mut bytes) = (Vec::new(), 0);
        each_row(connection, table, |row| {
            bytes += row.iter().map(size).sum::<usize>();
            rows.push(row);
            if rows.len() < ROWS && bytes < BATCH_BYTES {
                return Ok(true);
            }
            bytes = 0;
            Ok(parts.send(Part::Batch(Batch { table: at, rows: std::mem::take(&mut rows) })).is_ok())
        })?;
        if !rows.is_empty() && parts.send(Part::Batch(Batch { table: at, rows })).is_err() {
            return Ok(());
        }
    }
    let _ = parts.send(Part::End);
    Ok(())
}

fn write(
    connection: &Connection<'_>,
    layout: &Layout,
    received: &Receiver<Part>,
) -> Result<Vec<TableContent>, StoreError> {
    for table in &*layout.tables {
        if has_rows(connection, table)? {
            return Err(StoreError::new(format!("table {} of the target has rows", table.name)));
        }
    }
    let mut contents: Vec<_> = layout.tables.iter().map(TableContent::empty).collect();
    loop {
        match received.recv() {
            Ok(Part::End) => break,
            Ok(Part::Batch(batch)) => {
                let (Some(table), Some(content)) =
                    (layout.tables.get(batch.table), contents.get_mut(batch.table))
                else {
                    return Err(StoreError::new("a batch names no table"));
                };
                for row in &batch.rows {
                    content.add(table, row)?;
                }
                insert(connection, table, &batch.rows)?;
            }
            Err(_) => return Err(StoreError::new("the source was not read to its end")),
        }
    }
    for table in &*layout.tables {
        sequences::advance(connection, table)?;
    }
    Ok(contents)
}

/// Inserts rows by statements whose numbers of rows are powers of two, so that few statements have to be prepared.
fn insert(
    connection: &Connection<'_>,
    table: &Table,
    rows: &[Vec<Value<'static>>],
) -> Result<(), StoreError> {
    let mut rest = rows;
    while !rest.is_empty() {
        let (now, later) = rest.split_at(1 << rest.len().ilog2());
        let params = now.concat();
        let inserted = connection
            .execute(&statement(table, now.len()), &params)
            .map_err(|error| StoreError::new(format!("table {}: {}", table.name, error.reason())))?;
        if inserted != now.len() {
            let (name, expected) = (&table.name, now.len());
            return Err(StoreError::new(format!(
                "table {name}: inserted {inserted} rows, expected {expected}"
            )));
        }
        rest = later;
    }
    Ok(())
}

fn statement(table: &Table, rows: usize) -> String {
    let width = table.columns.len();
    let row = |row: usize| {
        let values: Vec<_> = (1..=width).map(|column| format!("${}", row * width + column)).collect();
        format!("({})", values.join(", "))
    };
    let rows: Vec<_> = (0..rows).map(row).collect();
    format!("INSERT INTO \"{}\" ({}) VALUES {}", table.name, table.columns(), rows.join(", "))
}

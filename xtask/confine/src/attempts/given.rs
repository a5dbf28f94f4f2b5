//! Access beyond the permitted one, for a server that may read one folder and write another.

use super::attempt::{Attempt, attempt};
use crate::{
    ground::{Ground, SECRET, read_secret},
    run::Run,
};
use std::{
    fs::{self, OpenOptions, Permissions},
    io::{self, Write},
    os::unix::fs::{PermissionsExt, symlink},
};

pub(super) const ATTEMPTS: &[Attempt] = &[
    attempt("read a file that may be read", |ground| read_secret(ground.decoy("given/read/file")))
        .opened_by(&[Run::Paths, Run::Files]),
    attempt("write a file that may be written", |ground| {
        fs::write(ground.decoy("given/write/new"), SECRET)?;
        read_secret(ground.decoy("given/write/new"))
    })
    .opened_by(&[Run::Paths, Run::Files]),
    attempt("write a file that may only be read", |ground| append(ground, "given/read/file"))
        .opened_by(&[Run::Files]),
    attempt("make a file where files may only be read", |ground| {
        fs::write(ground.decoy("given/read/new"), "!")
    })
    .opened_by(&[Run::Files]),
    attempt("read a neighbour of what may be read", |ground| read_secret(ground.decoy("given/neighbour")))
        .opened_by(&[Run::Files]),
    attempt("read a neighbour by its folder's parent", |ground| {
        read_secret(ground.decoy("given/read/../neighbour"))
    })
    .opened_by(&[Run::Files]),
    attempt("read a secret through a link in a folder that may be written", |ground| {
        let link = ground.decoy("given/write/link");
        symlink(ground.decoy("home/.ssh/id_test"), &link)?;
        read_secret(link)
    }),
    attempt("gain writing by a hard link", |ground| {
        let link = ground.decoy("given/write/hard_link");
        fs::hard_link(ground.decoy("given/read/file"), &link)?;
        OpenOptions::new().append(true).open(link)?.write_all(b"!")
    })
    .opened_by(&[Run::Files])
    .since(2),
    attempt("move a folder that may be written", |ground| {
        fs::rename(ground.decoy("given/write"), ground.decoy("given/moved"))?;
        fs::rename(ground.decoy("given/moved"), ground.decoy("given/write"))
    })
    .opened_by(&[Run::Files]),
    attempt("start a program from a folder that may be written", |ground| {
        let program = ground.decoy("given/write/program");
        fs::copy(std::env::current_exe()?, &program)?;
        fs::set_permissions(&program, Permissions::from_mode(0o700))?;
        super::system::start(program)
    }),
    attempt("read the kernel's configuration", |ground| read_secret(ground.decoy("project/mgp.toml"))),
    attempt("write the kernel's configuration", |ground| append(ground, "project/mgp.toml")),
    attempt("replace the kernel's configuration", |ground| {
        fs::write(ground.own("mgp.toml"), SECRET)?;
        fs::rename(ground.own("mgp.toml"), ground.decoy("project/mgp.toml"))
    }),
    attempt("replace the folder of the kernel's configuration", |ground| {
        fs::rename(ground.decoy("project"), ground.decoy("moved_project"))?;
        fs::rename(ground.decoy("moved_project"), ground.decoy("project"))
    }),
];

fn append(ground: &Ground, name: &str) -> io::Result<()> {
    OpenOptions::new().append(true).open(ground.decoy(name))?.write_all(b"!")
}

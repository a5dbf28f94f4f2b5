//! Files that do not belong to the server.

use super::{
    attempt::{Attempt, attempt, depends, for_root, permitted},
    calls::{address, c_path, call},
};
use crate::{
    ground::{Ground, LATE, SECRET, is_secret, read_secret},
    run::Run,
};
use std::{
    env,
    ffi::c_long,
    fs::{self, File, OpenOptions, Permissions},
    io::{self, Read, Write},
    os::{
        fd::AsRawFd,
        unix::fs::{PermissionsExt, symlink},
    },
    thread,
    time::{Duration, Instant},
};

pub(super) const ATTEMPTS: &[Attempt] = &[
    permitted("read the program itself", |_| fs::read(env::current_exe()?).map(drop)),
    permitted("write into the private folder", |ground| {
        fs::write(ground.own("own"), SECRET).and_then(|()| read_secret(ground.own("own")))
    }),
    attempt("read a private key", |ground| read_secret(ground.decoy("home/.ssh/id_test"))),
    attempt("read the kernel's state", |ground| read_secret(ground.decoy("state/audit.db"))),
    attempt("read a user's notes", |ground| read_secret(ground.decoy("home/notes"))).opened_by(&[Run::Files]),
    attempt("list a folder", |ground| fs::read_dir(ground.decoy("home")).map(drop)).opened_by(&[Run::Files]),
    attempt("read through a symbolic link", by_symbolic_link),
    attempt("read through a symbolic link to a folder", by_linked_folder).opened_by(&[Run::Files]),
    attempt("read through a hard link", by_hard_link),
    attempt("read through /proc/self/root", |ground| {
        read_secret(format!("/proc/self/root{}", ground.decoy("home/notes").display()))
    })
    .opened_by(&[Run::Files]),
    attempt("read through the working directory", |ground| {
        env::set_current_dir(&ground.private)?;
        read_secret("../decoys/home/notes")
    })
    .opened_by(&[Run::Files]),
    attempt("read through an inherited descriptor of a folder", by_inherited_folder),
    attempt("read through an inherited descriptor of a file", by_inherited_file),
    attempt("read through a folder that is opened only by its path", by_path_descriptor)
        .opened_by(&[Run::Files]),
    attempt("map a file", |ground| File::open(ground.decoy("to_write")).map(drop)).opened_by(&[Run::Files]),
    attempt("write into a file", |ground| {
        OpenOptions::new().append(true).open(ground.decoy("to_write"))?.write_all(b"!")
    })
    .opened_by(&[Run::Files]),
    attempt("cut a file off", |ground| {
        let path = c_path(ground.decoy("to_write"))?;
        call(libc::SYS_truncate, &[address(&*path), 4]).map(drop)
    })
    .opened_by(&[Run::Files])
    .since(3),
    attempt("cut off a file that is made after the start", |ground| {
        let late = ground.decoy(LATE);
        let start = Instant::now();
        while !late.exists() && start.elapsed() < Duration::from_secs(10) {
            thread::sleep(Duration::from_millis(2));
        }
        call(libc::SYS_truncate, &[address(&*c_path(late)?), 4]).map(drop)
    }),
    attempt("control a device", |_| {
        const COUNT_ENTROPY: c_long = 0x8004_5200;
        let (device, count) = (File::open("/dev/urandom")?, 0u32);
        call(libc::SYS_ioctl, &[device.as_raw_fd().into(), COUNT_ENTROPY, address(&count)]).map(drop)
    }),
    attempt("write through a symbolic link", |ground| {
        let link = ground.own("link_to_write");
        symlink(ground.decoy("to_write"), &link)?;
        fs::write(link, "!")
    })
    .opened_by(&[Run::Files]),
    attempt("make a file", |ground| fs::write(ground.decoy("new"), "!")),
    attempt("make a folder", |ground| fs::create_dir(ground.decoy("new_folder"))),
    attempt("make a link in a folder", |ground| symlink("/", ground.decoy("new_link"))),
    attempt("make a pipe in a folder", |ground| {
        let path = c_path(ground.decoy("new_pipe"))?;
        call(libc::SYS_mknodat, &[libc::AT_FDCWD.into(), address(&*path), (libc::S_IFIFO | 0o600).into()])
            .map(drop)
    }),
    for_root("make a device", |ground| {
        let path = c_path(ground.own("null"))?;
        let null = libc::makedev(1, 3).cast_signed() as c_long;
        call(
            libc::SYS_mknodat,
            &[libc::AT_FDCWD.into(), address(&*path), (libc::S_IFCHR | 0o600).into(), null],
        )
        .map(drop)
    }),
    attempt("remove a file", |ground| fs::remove_file(ground.decoy("to_remove"))),
    attempt("move a file into the private folder", |ground| {
        fs::rename(ground.decoy("to_move"), ground.own("moved"))
    }),
    attempt("move a file out of the private folder", |ground| {
        fs::write(ground.own("to_plant"), "!")?;
        fs::rename(ground.own("to_plant"), ground.decoy("planted"))
    }),
    attempt("change a file's mode", |ground| {
        fs::set_permissions(ground.decoy("to_change"), Permissions::from_mode(0o666))
    })
    .opened_by(&[Run::Files]),
    attempt("change a folder's mode", |ground| {
        fs::set_permissions(ground.decoy("home/.ssh"), Permissions::from_mode(0o777))
    }),
    attempt("change a file's times", |ground| {
        let path = c_path(ground.decoy("to_change"))?;
        call(libc::SYS_utimensat, &[libc::AT_FDCWD.into(), address(&*path)]).map(drop)
    })
    .opened_by(&[Run::Files]),
    attempt("change a file's owner to the same", |ground| {
        let path = c_path(ground.decoy("to_change"))?;
        let same = -1;
        call(libc::SYS_fchownat, &[libc::AT_FDCWD.into(), address(&*path), same, same]).map(drop)
    })
    .opened_by(&[Run::Files]),
    depends("change a file's attributes", "the file system may have none", |ground| {
        let path = c_path(ground.decoy("to_change"))?;
        call(libc::SYS_setxattr, &[address(&*path), address(c"user.mgp"), address(b"x"), 1]).map(drop)
    })
    .opened_by(&[Run::Files]),
    for_root("open a file by its handle", by_handle),
    for_root("change the mode of a program of the system", |_| {
        let own = env::current_exe()?;
        fs::set_permissions(&own, own.metadata()?.permissions())
    })
    .opened_by(&[Run::Files]),
];

fn by_symbolic_link(ground: &Ground) -> io::Result<()> {
    let link = ground.own("link");
    symlink(ground.decoy("home/.ssh/id_test"), &link)?;
    read_secret(link)
}

fn by_linked_folder(ground: &Ground) -> io::Result<()> {
    let link = ground.own("folder_link");
    symlink(&ground.decoys, &link)?;
    read_secret(link.join("home/notes"))
}

fn by_hard_link(ground: &Ground) -> io::Result<()> {
    let link = ground.own("hard_link");
    fs::hard_link(ground.decoy("home/notes"), &link)?;
    read_secret(link)
}

fn read_at(folder: c_long, name: &std::ffi::CStr) -> io::Result<()> {
    let file = call(libc::SYS_openat, &[folder, address(name), libc::O_RDONLY.into()])?;
    let mut text = String::new();
    File::from(super::calls::owned(file)).read_to_string(&mut text)?;
    is_secret(&text)
}

fn by_inherited_file(_: &Ground) -> io::Result<()> {
    let found = (3..64).find(|file| {
        let mut bytes = [0u8; SECRET.len()];
        let place = (&raw mut bytes).addr().cast_signed() as c_long;
        call(libc::SYS_pread64, &[*file, place, bytes.len() as c_long, 0]).is_ok()
            && bytes == SECRET.as_bytes()
    });
    found.map(drop).ok_or_else(|| io::Error::other("no file was inherited"))
}

fn by_inherited_folder(_: &Ground) -> io::Result<()> {
    let found = (3..64).find_map(|folder| read_at(folder, c"home/notes").ok());
    found.ok_or_else(|| io::Error::other("no folder was inherited"))
}

fn by_path_descriptor(ground: &Ground) -> io::Result<()> {
    let path = c_path(&ground.decoys)?;
    let folder = call(libc::SYS_openat, &[libc::AT_FDCWD.into(), address(&*path), libc::O_PATH.into()])?;
    read_at(folder, c"home/notes")
}

/// Opens a file by its handle, which bypasses the folders above it.
fn by_handle(ground: &Ground) -> io::Result<()> {
    #[repr(C)]
    struct Handle {
        length: u32,
        kind: i32,
        bytes: [u8; 128],
    }
    let mut handle = Handle { length: 128, kind: 0, bytes: [0; 128] };
    let (path, mut mount) = (c_path(ground.decoy("home/notes"))?, 0i32);
    let (place, mount) = (&raw mut handle, &raw mut mount);
    let arguments = [
        libc::AT_FDCWD.into(),
        address(&*path),
        place.addr().cast_signed() as c_long,
        mount.addr().cast_signed() as c_long,
    ];
    call(libc::SYS_name_to_handle_at, &arguments)?;
    let folder = File::open(&ground.private)?;
    let folder = folder.as_raw_fd();
    call(
        libc::SYS_open_by_handle_at,
        &[folder.into(), place.addr().cast_signed() as c_long, libc::O_RDONLY.into()],
    )
    .map(drop)
}

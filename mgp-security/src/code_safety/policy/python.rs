//! The names of Python, by the reference of CPython 3.14's standard library.

use super::table::{Policy, Special, Table};
use crate::code_safety::capability::Capability as C;
use std::sync::LazyLock;

/// The policy of Python.
pub(in crate::code_safety) static PYTHON: LazyLock<Policy> = Policy::of(|| Policy::new(&TABLE));

const TABLE: Table = Table {
    names: &[
        (C::Eval, "eval exec compile __import__ breakpoint importlib.util.spec_from_* importlib.machinery"),
        (
            C::Eval,
            "importlib.util.module_from_spec importlib.util.LazyLoader code codeop runpy zipimport imp",
        ),
        (C::Eval, "bdb pdb trace.Trace doctest.script_from_*"),
        (C::Eval, "logging.config typing.ForwardRef annotationlib.ForwardRef rlcompleter idlelib lib2to3"),
        (
            C::Eval,
            "pickle.load pickle.loads pickle.Unpickler pickle._* _pickle cPickle dill cloudpickle joblib.load",
        ),
        (C::Eval, "marshal.load marshal.loads shelve.open shelve.Shelf shelve.DbfilenameShelf jsonpickle"),
        (
            C::Eval,
            "yaml.load yaml.load_all yaml.unsafe_load yaml.unsafe_load_all yaml.full_load yaml.Loader yaml.UnsafeLoader",
        ),
        (
            C::Eval,
            "pandas.eval pandas.read_pickle pandas.io.pickle numpy.f2py torch.load torch.hub keras.models.load_model",
        ),
        (C::Eval, "mako asteval"),
        (C::Eval, "copyreg sitecustomize usercustomize ensurepip pip venv"),
        (
            C::Process,
            "os.system os.popen* os.exec* os.spawn* os.posix_spawn* os.fork* os.startfile os.kill os.killpg",
        ),
        (
            C::Process,
            "os.setuid os.setgid os.setreuid os.setregid os.seteuid os.setegid os.setns os.unshare os.chroot",
        ),
        (
            C::Process,
            "subprocess _posixsubprocess pty commands popen2 pexpect sh plumbum invoke fabric paramiko psutil.Popen",
        ),
        (
            C::Process,
            "asyncio.create_subprocess_* asyncio.subprocess asyncio.unix_events asyncio.base_subprocess",
        ),
        (
            C::Process,
            "concurrent.interpreters webbrowser antigravity pydoc.pipepager pydoc.tempfilepager pydoc.pager pydoc.browse _winapi msilib",
        ),
        (C::Process, "platform.popen IPython get_ipython"),
        (
            C::Native,
            "ctypes _ctypes cffi cython pyximport numpy.ctypeslib posix nt _posixshmem _xxsubinterpreters",
        ),
        (C::Native, "_interpreters interpreters numpy.distutils"),
        (
            C::Reflection,
            "__builtins__ __loader__ __spec__ __build_class__ builtins.__dict__ gc.get_* inspect.currentframe",
        ),
        (
            C::Reflection,
            "inspect.stack inspect.trace inspect.getouterframes inspect.getinnerframes sys._* sys.settrace sys.setprofile",
        ),
        (C::Reflection, "sys.monitoring sys.addaudithook sys.meta_path sys.path_hooks sys.call_tracing"),
        (C::Reflection, "types.CodeType types.CellType types.FrameType _frozen_importlib*"),
        (C::Reflection, "threading.settrace* threading.setprofile* _operator _thread.interrupt_main"),
        (C::Socket, "socket _socket socketserver asyncore asynchat pwn scapy"),
        (C::DeleteTree, "shutil.rmtree"),
        (C::Eval, "cProfile.run cProfile.runctx profile.run profile.runctx"),
        (
            C::Introspection,
            "timeit cProfile profile jinja2 sympy.sympify sympy.parse_expr sympy.lambdify numexpr site",
        ),
        (
            C::Introspection,
            "types.FunctionType types.LambdaType types.MethodType operator.__* importlib.import_module",
        ),
        (
            C::Runtime,
            "setuptools distutils os.putenv multiprocessing concurrent.futures numba mmap faulthandler",
        ),
        (
            C::Introspection,
            "globals locals vars help license credits copyright builtins importlib inspect gc types.ModuleType",
        ),
        (
            C::Introspection,
            "sys.modules sys.exc_info sys.last_* sys.exception traceback linecache pkgutil modulefinder pydoc pyclbr",
        ),
        (
            C::Introspection,
            "string.Formatter _string typing.get_type_hints typing.evaluate_forward_ref annotationlib symtable dis opcode ast.walk unittest.mock",
        ),
        (C::Introspection, "enum.pickle_by_enum_name enum.global_enum"),
        (
            C::Introspection,
            "typing_extensions.get_type_hints typing_extensions.get_annotations typing_extensions.evaluate_forward_ref typing_extensions.ForwardRef",
        ),
        (C::Runtime, "time.clock_settime time.clock_settime_ns"),
        (C::WriteAnywhere, "json.tool"),
        (
            C::Network,
            "xml.sax.parse* xml.sax.make_parser xml.sax.saxutils.prepare_input_source xml.sax.saxutils.urllib",
        ),
        (C::Harmless, "datetime.time datetime.datetime operator.attrgetter operator.methodcaller"),
        (
            C::Introspection,
            "object.__* type.__* types.DynamicClassAttribute types.prepare_class types.resolve_bases types.new_class",
        ),
        (
            C::Introspection,
            "types.coroutine types.Generator* types.Coroutine* types.Traceback* types.GetSet* types.Member* types.Wrapper*",
        ),
        (C::Introspection, "types.Method* types.Builtin* types.ClassMethod* types.Async*"),
        (
            C::Harmless,
            "os.path os.getcwd os.getcwdb os.listdir os.scandir os.walk os.stat os.lstat os.sep os.altsep os.linesep os.name",
        ),
        (
            C::Harmless,
            "os.pathsep os.extsep os.curdir os.pardir os.devnull os.cpu_count os.process_cpu_count os.urandom os.getrandom",
        ),
        (
            C::Harmless,
            "os.fspath os.fsencode os.fsdecode os.PathLike os.DirEntry os.access os.F_OK os.R_OK os.W_OK os.X_OK os.strerror",
        ),
        (
            C::Harmless,
            "os.getpid os.getppid os.getlogin os.uname os.times os.error os.get_terminal_size os.readlink os.stat_result os.cpu_count",
        ),
        (
            C::Harmless,
            "os.environ.get os.environ.keys os.environ.items os.environ.copy os.getenv os.get_exec_path os.SEEK_SET os.SEEK_END",
        ),
        (
            C::Harmless,
            "sys.argv sys.exit sys.stdin sys.stdout sys.stderr sys.version sys.version_info sys.platform sys.maxsize sys.byteorder",
        ),
        (
            C::Harmless,
            "sys.float_info sys.int_info sys.hash_info sys.getsizeof sys.getrecursionlimit sys.maxunicode sys.implementation",
        ),
        (
            C::Harmless,
            "sys.intern sys.getdefaultencoding sys.getrefcount sys.set_int_max_str_digits sys.get_int_max_str_digits sys.hexversion",
        ),
        (
            C::Harmless,
            "sys.executable sys.builtin_module_names sys.stdlib_module_names sys.thread_info sys.api_version sys.copyright sys.flags",
        ),
        (
            C::Harmless,
            "platform.system platform.python_version platform.machine platform.release platform.node",
        ),
        (
            C::Runtime,
            "os sys posixpath.os signal resource atexit threading _thread fcntl termios tty curses readline ssl pathlib.os",
        ),
        (
            C::Runtime,
            "io.open_code warnings weakref.finalize contextvars.copy_context tracemalloc tkinter turtle",
        ),
        (
            C::Network,
            "urllib.request urllib.error urllib.robotparser http.client http.server xmlrpc ftplib smtplib poplib imaplib nntplib telnetlib",
        ),
        (
            C::Network,
            "requests httpx aiohttp urllib3 websockets websocket httplib2 boto3 botocore paho grpc wsgiref asyncssh twisted tornado",
        ),
        (
            C::Network,
            "flask fastapi uvicorn django starlette sanic bottle asyncio.open_connection asyncio.start_server selectors select",
        ),
        (
            C::Network,
            "asyncio.open_unix_connection asyncio.start_unix_server psycopg psycopg2 pymysql redis pymongo dns logging.handlers",
        ),
        (C::Delete, "os.remove os.unlink os.rmdir os.removedirs shutil.move"),
        (
            C::WriteAnywhere,
            "os.rename os.renames os.replace os.mkdir os.makedirs os.link os.symlink os.chmod os.chown os.lchown os.truncate",
        ),
        (
            C::WriteAnywhere,
            "os.open os.write os.writev os.mknod os.mkfifo os.utime os.fdopen os.ftruncate os.sendfile os.copy_file_range os.dup*",
        ),
        (
            C::WriteAnywhere,
            "os.fchmod os.fchown os.setxattr os.pipe* os.openpty os.memfd_create os.chdir os.fchdir os.umask",
        ),
        (
            C::WriteAnywhere,
            "contextlib.chdir shutil tempfile zipfile tarfile bz2.open lzma.open gzip bz2.BZ2File lzma.LZMAFile fileinput sqlite3 dbm shelve",
        ),
        (
            C::WriteAnywhere,
            "logging.FileHandler logging.basicConfig argparse.FileType io.FileIO _io _pyio codecs.open codecs.StreamWriter",
        ),
        (
            C::WriteAnywhere,
            "wave.open mailbox netrc py_compile compileall cgitb plistlib.dump trace pickle.dump marshal.dump",
        ),
        (
            C::WriteAnywhere,
            "pathlib.Path.write_text pathlib.Path.write_bytes numpy.save* numpy.memmap numpy.fromfile numpy.load numpy.lib",
        ),
    ],
    members: &[
        (
            C::Reflection,
            "__subclasses__ __globals__ __builtins__ __code__ __closure__ __import__ __loader__ __self__ __func__",
        ),
        (
            C::Reflection,
            " f_globals f_locals f_builtins f_back f_code tb_frame gi_frame cr_frame ag_frame gi_code",
        ),
        (
            C::Reflection,
            "cr_code ag_code gi_yieldfrom cr_await func_globals func_code func_closure im_func im_self co_code co_consts",
        ),
        (
            C::Reflection,
            "__reduce_ex__ __reduce__ _getframe __spec__ cell_contents __kwdefaults__ __build_class__ load_module exec_module",
        ),
        (
            C::Reflection,
            "__subclasshook__ __objclass__ __thisclass__ __self_class__ tb_next tb_lasti _getAttributeNames",
        ),
        (
            C::Introspection,
            "__class__ __dict__ __base__ __bases__ __mro__ mro __getattribute__ __getattr__ __setattr__ __delattr__ __dir__",
        ),
        (
            C::Introspection,
            "__module__ __traceback__ __context__ __cause__ __annotations__ __annotate__ __defaults__ __wrapped__ __weakref__",
        ),
        (
            C::Introspection,
            "__prepare__ __instancecheck__ __subclasscheck__ __set_name__ __getstate__ __setstate__ __path__ __file__ with_traceback",
        ),
        (
            C::Introspection,
            "get_field vformat format_field get_value __type_params__ __orig_bases__ __evaluate__ _evaluate __forward_arg__",
        ),
        (
            C::Introspection,
            "__getinitargs__ __getnewargs__ __getnewargs_ex__ __class_getitem__ __mro_entries__ __origin__ __args__",
        ),
        (
            C::Introspection,
            "os sys builtins subprocess shutil importlib ctypes socket pty posix nt codecs imp inspect types gc linecache",
        ),
        (
            C::Introspection,
            "_os _sys _builtins _subprocess _shutil _importlib _ctypes _socket _types _posixsubprocess _io bltns _gc _weakrefset",
        ),
        (
            C::Process,
            "system popen execv execve execvp execvpe execl execle execlp execlpe spawnl spawnle spawnlp spawnv spawnve spawnvp posix_spawn",
        ),
        (
            C::Process,
            "check_output check_call Popen getoutput getstatusoutput forkpty subprocess_exec subprocess_shell create_subprocess_exec",
        ),
        (C::Process, "create_subprocess_shell fork_exec"),
        (
            C::Eval,
            "run_code run_module run_path runcode runsource import_module exec_ builtin_eval read_pickle",
        ),
        (
            C::Socket,
            "create_connection create_server create_datagram_endpoint create_unix_connection create_unix_server sock_connect",
        ),
        (C::DeleteTree, "rmtree"),
        (C::Delete, "unlink rmdir removedirs"),
        (
            C::WriteAnywhere,
            "write_text write_bytes touch mkdir makedirs symlink_to hardlink_to link_to chmod chdir lchmod extractall",
        ),
        (
            C::Write,
            "to_csv to_excel to_parquet to_pickle to_sql to_hdf to_feather to_html to_json to_stata savefig save savez savetxt tofile",
        ),
        (
            C::Introspection,
            "_convert_ pickle_by_enum_name global_enum get_type_hints evaluate_forward_ref attrgetter methodcaller get_annotations raw detach",
        ),
        (C::WriteAnywhere, "FileIO FileType"),
        (C::Network, "prepare_input_source urlopen"),
        (C::Runtime, "clock_settime clock_settime_ns"),
        (C::Write, "executescript executemany commit dump write_csv write_parquet imwrite imsave savemat"),
    ],
    plain_members: "__init__ __name__ __qualname__ __doc__ __version__ __author__ __len__ __iter__ __next__ __aiter__ __anext__ __enter__ \
        __exit__ __aenter__ __aexit__ __str__ __repr__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __hash__ __add__ __radd__ __sub__ \
        __rsub__ __mul__ __rmul__ __truediv__ __floordiv__ __mod__ __pow__ __neg__ __pos__ __abs__ __bool__ __int__ __float__ \
        __contains__ __getitem__ __setitem__ __delitem__ __call__ __new__ __post_init__ __members__ __slots__ __format__ __bytes__ \
        __iadd__ __and__ __or__ __xor__ __invert__ __missing__ __reversed__ __copy__ __deepcopy__ __init_subclass__ \
        __get__ __set__ __delete__ __round__ __index__ __await__",
    specials: &[
        (
            Special::Attribute,
            "getattr setattr delattr hasattr object.__getattribute__ object.__setattr__ object.__delattr__",
        ),
        (Special::Attribute, "type.__getattribute__ type.__setattr__ inspect.getattr_static"),
        (Special::AttributeReader, "operator.attrgetter operator.methodcaller"),
        (Special::Copy, "functools.update_wrapper functools.wraps"),
        (Special::Fields, "dataclasses.make_dataclass"),
        (
            Special::Import,
            "__import__ importlib.import_module importlib.__import__ pkgutil.resolve_name importlib.reload",
        ),
        (Special::Scope, "globals locals vars"),
        (Special::Open, "open io.open codecs.open gzip.open bz2.open lzma.open"),
    ],
    builtins: "eval exec compile __import__ breakpoint globals locals vars help open getattr setattr delattr __builtins__ __loader__ \
        __spec__ __build_class__ license credits copyright",
    modules: "os sys io builtins subprocess shutil importlib ctypes socket pty posix nt codecs imp inspect types gc linecache marshal pickle \
        runpy codeop signal threading multiprocessing tempfile pathlib webbrowser pydoc pdb traceback sysconfig _io _socket \
        _posixsubprocess _ctypes _thread _pickle _winapi",
    allowed: "abc argparse array ast base64 binascii bisect calendar cmath collections colorsys contextlib copy csv dataclasses datetime \
        decimal difflib enum fractions functools graphlib hashlib heapq hmac html io itertools json keyword locale.atof math \
        mimetypes numbers operator pprint queue quopri random re reprlib secrets statistics string stringprep struct sys textwrap \
        time token typing typing_extensions unicodedata urllib.parse uuid xml.sax.saxutils zlib zoneinfo __future__",
    replacements: &[
        ("eval", "ast.literal_eval"),
        ("pickle", "json"),
        ("pickle.loads", "json.loads"),
        ("pickle.dumps", "json.dumps"),
        ("marshal", "json"),
        ("yaml.load", "yaml.safe_load"),
    ],
};

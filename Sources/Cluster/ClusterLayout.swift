/// The paths of one cluster below the home folder of the installation.
struct ClusterLayout: Equatable, Sendable {
  let home: String
  /// The port on 127.0.0.1 that the server listens on; nil for a Unix socket only.
  let tcpPort: Int?

  /// Creates the layout below a home; reads ``tcpPort`` from ``portFile``.
  init(home: String) {
    self.home = home
    let chosen = SystemFile.text(at: "\(home)/postgres/port")?.split(separator: "\n").first
    tcpPort = chosen.flatMap { Int($0) }
  }

  /// The folder of data, logs, lock and port file; belongs to the server's user, with mode 0700.
  var directory: String { "\(home)/postgres" }

  var data: String { "\(directory)/data" }
  /// The target of `initdb`, renamed to ``data`` when complete, so that an incomplete cluster is never used.
  var unfinishedData: String { "\(directory)/data.unfinished" }
  var postmasterFile: String { "\(data)/postmaster.pid" }
  var log: String { "\(directory)/server.log" }
  var initdbLog: String { "\(directory)/initdb.log" }
  /// The lock file of the process that starts or stops the server.
  var lock: String { "\(directory)/lock" }

  /// The file that contains ``tcpPort``.
  var portFile: String { "\(directory)/port" }

  /// The port in the name of the Unix socket that clients use, whatever port the server listens on.
  static let port = 5432
  var socket: String { "\(socketDirectory)/.s.PGSQL.\(Self.port)" }

  /// The server's own port. PostgreSQL names its socket by it; ``socket`` is a link to that one.
  var serverPort: Int { tcpPort ?? Self.port }
  var serverSocket: String { "\(socketDirectory)/.s.PGSQL.\(serverPort)" }

  /// The folder of the socket: beside the data, or `/tmp/fettle-<hash>` if that path is too long.
  ///
  /// A socket path has at most 107 bytes. The hash depends only on the path of ``directory``, so that every
  /// process finds the folder, in a login session and in cron. The folder is created with mode 0700 and
  /// refused if another user owns it.
  var socketDirectory: String {
    let beside = "\(directory)/run"
    return "\(beside)/.s.PGSQL.\(Self.port).lock".utf8.count < 100 ? beside : "/tmp/\(name)"
  }

  /// The cluster name. The process titles of this cluster begin with `postgres: <name>:`.
  var name: String {
    // FNV-1a gives the same hash in every process; Swift's hash is seeded per process.
    let hash = directory.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    return "fettle-\(String(hash, radix: 36))"
  }
}

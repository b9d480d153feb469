/// The paths of one cluster below the home folder of the installation.
struct ClusterLayout: Equatable, Sendable {
  let home: String
  /// The loopback port that the server listens on; nil: it has a Unix socket only.
  let tcpPort: Int?

  /// The layout below a home, with the port that was chosen for its server.
  init(home: String) {
    self.home = home
    let chosen = SystemFile.text(at: "\(home)/postgres/port")?.split(separator: "\n").first
    tcpPort = chosen.flatMap { Int($0) }
  }

  /// Holds all that follows; belongs to the server's user, mode 0700.
  var directory: String { "\(home)/postgres" }

  var data: String { "\(directory)/data" }
  /// The target of `initdb`; renamed to `data` when complete, so that an incomplete cluster is never used.
  var unfinishedData: String { "\(directory)/data.unfinished" }
  var postmasterFile: String { "\(data)/postmaster.pid" }
  var log: String { "\(directory)/server.log" }
  var initdbLog: String { "\(directory)/initdb.log" }
  /// Locked by the process that starts or stops the server.
  var lock: String { "\(directory)/lock" }

  /// Holds ``tcpPort``: every process has to know it, because PostgreSQL names its socket by it too.
  var portFile: String { "\(directory)/port" }

  /// The number in the socket's file name.
  var port: Int { tcpPort ?? 5432 }
  var socket: String { "\(socketDirectory)/.s.PGSQL.\(port)" }

  /// The folder of the socket: beside the data, or `/tmp/fettle-<hash>` if that path is too long.
  ///
  /// A socket path has at most 107 bytes. The substitute depends on the data's path only, so that every
  /// process finds it, in a login session and in cron. It is created with mode 0700 and refused if another
  /// user owns it.
  var socketDirectory: String {
    let beside = "\(directory)/run"
    return "\(beside)/.s.PGSQL.\(port).lock".utf8.count < 100 ? beside : "/tmp/\(name)"
  }

  /// The cluster name; the process titles of this cluster begin with `postgres: <name>:`.
  var name: String {
    // FNV-1a: short, and the same in every process, unlike Swift's seeded hash.
    let hash = directory.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    return "fettle-\(String(hash, radix: 36))"
  }
}

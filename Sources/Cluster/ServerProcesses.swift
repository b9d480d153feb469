internal import Glibc

/// The processes of one cluster, found in `/proc`.
///
/// Command lines are readable by everybody, unlike working folders, which root without CAP_SYS_PTRACE (as in
/// a container) cannot read of other users.
struct ServerProcesses {
  let layout: ClusterLayout
  let user: ServerUser

  /// Whether `pid` is a server (postmaster) on this cluster's data: alive, not a zombie, not a stranger with a reused id.
  func isServer(_ pid: pid_t) -> Bool {
    // When it was our child and has ended, take the zombie away: PostgreSQL would believe it alive.
    waitpid(pid, nil, WNOHANG)
    let words = commandLine(pid)
    guard let program = words.first, program.hasSuffix("postgres") else { return false }
    return words.contains(layout.data) && belongsToServer(pid)
  }

  /// Backends that go on working after their server was killed.
  ///
  /// While one lives, the data must not be served by another: it may still write.
  func orphans() -> [pid_t] {
    let title = "postgres: \(layout.name): "
    return SystemFile.names(in: "/proc").compactMap { pid_t($0) }.filter { pid in
      guard let words = commandLine(pid).first, words.hasPrefix(title) else { return false }
      return belongsToServer(pid)
    }
  }

  /// Whether a process with this id exists, whoever it is.
  static func exists(_ pid: pid_t) -> Bool {
    kill(pid, 0) == 0 || errno == EPERM
  }

  private func belongsToServer(_ pid: pid_t) -> Bool {
    SystemFile.status(of: "/proc/\(pid)")?.st_uid == user.uid
  }

  private func commandLine(_ pid: pid_t) -> [String] {
    guard let bytes = SystemFile.bytes(at: "/proc/\(pid)/cmdline") else { return [] }
    return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }
}

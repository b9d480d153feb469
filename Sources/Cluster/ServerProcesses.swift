internal import Glibc

/// The processes of one cluster, found in `/proc`.
///
/// Uses command lines, which everybody may read. Root without CAP_SYS_PTRACE (as in a container) cannot read
/// the working folders of other users' processes.
struct ServerProcesses {
  let layout: ClusterLayout
  let user: ServerUser

  /// Returns whether `pid` is the postmaster of this cluster, not another process with a reused id or a
  /// zombie.
  func isServer(_ pid: pid_t) -> Bool {
    let words = commandLine(pid)
    guard let program = words.first, program.hasSuffix("postgres") else { return false }
    return words.contains(layout.data) && belongsToServer(pid)
  }

  /// Returns whether a server is running or starting, including the wrapper programs that start it.
  func anyServer() -> Bool {
    SystemFile.names(in: "/proc").contains { name in
      pid_t(name).map { commandLine($0).contains(layout.data) } ?? false
    }
  }

  /// All processes of this cluster. Without a server these are backends that outlived it.
  ///
  /// While one is alive, no other server may use the data: the backend may still write.
  func all() -> [pid_t] {
    let title = "postgres: \(layout.name): "
    return SystemFile.names(in: "/proc").compactMap { pid_t($0) }.filter { pid in
      guard let program = commandLine(pid).first else { return false }
      return program.hasPrefix(title) && belongsToServer(pid) || isServer(pid)
    }
  }

  /// Returns whether any process has this id.
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

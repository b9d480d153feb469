internal import Glibc

/// The processes of one cluster, found in `/proc`.
///
/// Command lines are readable by everybody, unlike working folders, which root without CAP_SYS_PTRACE (as in
/// a container) cannot read of other users.
struct ServerProcesses {
  let layout: ClusterLayout
  let user: ServerUser

  /// Whether `pid` is a server (postmaster) on this cluster's data, not a stranger with a reused id, nor a zombie.
  func isServer(_ pid: pid_t) -> Bool {
    let words = commandLine(pid)
    guard let program = words.first, program.hasSuffix("postgres") else { return false }
    return words.contains(layout.data) && belongsToServer(pid)
  }

  /// Whether a server is up or on its way: so are the programs that will turn into it.
  func anyServer() -> Bool {
    SystemFile.names(in: "/proc").contains { name in
      pid_t(name).map { commandLine($0).contains(layout.data) } ?? false
    }
  }

  /// Every process of this cluster; without a server those are backends that outlived it.
  ///
  /// While one lives, the data must not be served by another: it may still write.
  func all() -> [pid_t] {
    let title = "postgres: \(layout.name): "
    return SystemFile.names(in: "/proc").compactMap { pid_t($0) }.filter { pid in
      guard let program = commandLine(pid).first else { return false }
      return program.hasPrefix(title) && belongsToServer(pid) || isServer(pid)
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

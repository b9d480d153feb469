internal import Glibc

/// The processes of one cluster, found in `/proc`.
///
/// Processes are identified by their command lines, which every user can read. Root without CAP_SYS_PTRACE,
/// as in a container, could not read the working folders of other users' processes.
struct ServerProcesses {
  let layout: ClusterLayout
  let user: ServerUser

  /// Returns true if the process is the running postmaster of this cluster; false for a zombie or another
  /// process with a reused id.
  func isServer(_ pid: pid_t) -> Bool {
    let words = commandLine(pid)
    guard let program = words.first, program.hasSuffix("postgres") else { return false }
    return words.contains(layout.data) && belongsToServer(pid)
  }

  /// Returns true if the server, or a wrapper program that starts it, is running.
  func anyServer() -> Bool {
    SystemFile.names(in: "/proc").contains { name in
      pid_t(name).map { commandLine($0).contains(layout.data) } ?? false
    }
  }

  /// Returns the ids of the server and its backends. Backends can outlive a killed server.
  ///
  /// No other server may use the data while a backend is running, because the backend may still write.
  func all() -> [pid_t] {
    let title = "postgres: \(layout.name): "
    return SystemFile.names(in: "/proc").compactMap { pid_t($0) }.filter { pid in
      guard let program = commandLine(pid).first else { return false }
      return program.hasPrefix(title) && belongsToServer(pid) || isServer(pid)
    }
  }

  /// Returns true if a process with this id exists.
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

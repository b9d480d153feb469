internal import Glibc
internal import Synchronization

/// The processes of one attempt: the program's process group, and processes that left the group.
///
/// All of them end with the attempt. A process that leaves the group, as a daemon does, is recognised by the
/// mark in its environment. A program that also replaces its environment escapes until the worker's service
/// ends, whose control group systemd kills.
final class ProgramGroup: Sendable {
  /// The number of searches for marked processes. A process may start another one during a search.
  private static let mostSearches = 10

  /// The entry of the environment that marks a process.
  private let mark: [UInt8]
  private let leader = Mutex<pid_t?>(nil)

  /// - Parameter mark: the variable that marks the processes, as `NAME=value`.
  init(mark: String) { self.mark = Array(mark.utf8) }

  /// Records the first process, which leads the group.
  func began(_ process: pid_t) { leader.withLock { $0 = process } }

  /// Kills all processes that are left.
  ///
  /// The number of a group is not used again while a process is in it. Without one, the signal has no
  /// receiver.
  func end() {
    guard let leader = leader.withLock({ $0 }) else { return }
    kill(-leader, SIGKILL)
    for _ in 0..<Self.mostSearches {
      let marked = Self.processes().filter { isMarked($0) }
      guard !marked.isEmpty else { return }
      for process in marked { kill(process, SIGKILL) }
    }
  }

  /// True if a process has the mark. A process that has ended has no environment.
  private func isMarked(_ process: pid_t) -> Bool {
    guard let environment = Self.content(of: "/proc/\(process)/environ") else { return false }
    return environment.split(separator: 0).contains { $0.elementsEqual(mark) }
  }

  /// Returns the ids of all processes that can be seen.
  private static func processes() -> [pid_t] {
    guard let folder = opendir("/proc") else { return [] }
    defer { closedir(folder) }
    var found: [pid_t] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let process = pid_t(name) { found.append(process) }
    }
    return found
  }

  /// Returns the content of a file; nil if it cannot be read.
  private static func content(of path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
      content += buffer[..<count]
    }
    return content
  }
}

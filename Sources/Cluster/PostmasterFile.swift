internal import Glibc

/// The contents of the server's `postmaster.pid`.
struct PostmasterFile: Equatable {
  /// The state of the server, as written in the eighth line.
  enum Phase: String { case starting, stopping, ready, standby }

  let pid: pid_t
  /// The state of the server; nil until the server has written it.
  let phase: Phase?
  /// The port in the name of the Unix socket, from the fourth line.
  let port: Int?
  /// The folder of the first Unix socket, from the fifth line.
  let socketDirectory: String?

  /// Parses the file: one item per line, the process id first (negative for a stand-alone backend). Nil if
  /// the first line is not a process id.
  init?(text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let pid = lines.first.flatMap({ pid_t($0) }), pid != 0 else { return nil }
    self.pid = abs(pid)
    let word = lines.count > 7 ? lines[7].split(separator: " ").first : nil
    phase = word.flatMap { Phase(rawValue: String($0)) }
    port = lines.count > 3 ? Int(lines[3]) : nil
    socketDirectory = lines.count > 4 && lines[4].hasPrefix("/") ? String(lines[4]) : nil
  }

  static func read(_ path: String) -> PostmasterFile? {
    SystemFile.text(at: path).flatMap(PostmasterFile.init(text:))
  }
}

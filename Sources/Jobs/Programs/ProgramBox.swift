internal import CBox
internal import FoundationEssentials
internal import Glibc
internal import Subprocess
internal import Synchronization

/// The box of a program that reads strangers' bytes: without network, without other processes, and with one folder.
///
/// The executable with the words `--box FOLDER PROGRAM …` enters the box and executes the program in it. It needs no
/// rights and no namespaces, which systemd's `RestrictNamespaces` and many containers forbid.
package struct ProgramBox: Sendable, Equatable {
  /// True if the box hides the files outside of the folder too (Landlock).
  package let hidesFiles: Bool
  /// The path of the program `fettle`.
  private let program: String

  /// Returns the words before a command.
  func words(_ folder: String) -> [String] { [program, Self.option, folder] }

  /// The parts of the box, for people.
  package var description: String {
    hidesFiles ? "a filter of system calls, and Landlock" : "a filter of system calls, without Landlock"
  }

  private static let option = "--box"
  private static let known = Mutex<ProgramBox?>(nil)

  /// Returns the box of this machine, tried once; nil if there is none, so that the work must wait.
  package static func find() async -> ProgramBox? {
    if let known = known.withLock({ $0 }) { return known }
    guard let program else { return nil }
    let result = try? await Subprocess.run(
      .name("sh"),
      arguments: ["-c", #"exec "$0" "$1" /"#, program, option],
      output: .string(limit: 100),
      error: .discarded
    )
    guard case .exited(0)? = result?.terminationStatus, let parts = result?.standardOutput else { return nil }
    let box = ProgramBox(hidesFiles: parts.contains("files"), program: program)
    known.withLock { $0 = box }
    return box
  }

  /// Enters the box and executes the program that the command line names; returns if it names none.
  ///
  /// Without a program, it prints the parts of the box.
  package static func run(_ arguments: [String]) {
    guard arguments.count > 2, arguments[1] == option else { return }
    let parts = Int(c_box_enter(arguments[2]))
    guard parts & C_BOX_FILTER != 0 else { end(125, "this machine has no filter of system calls") }
    guard arguments.count > 3 else {
      print(parts & C_BOX_FILES != 0 ? "filter files" : "filter")
      exit(0)
    }
    let words = arguments.dropFirst(3).map { strdup($0) } + [nil]
    execv(arguments[3], words)
    end(126, "cannot execute \(arguments[3])")
  }

  private static func end(_ status: Int32, _ reason: String) -> Never {
    let line = Array("\(reason)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
    exit(status)
  }

  /// The program `fettle`: this process, or the one beside it in the folder of a build.
  private static var program: String? {
    guard var path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else {
      return nil
    }
    // After an upgrade, the new program is at the same path.
    let mark = " (deleted)"
    if path.hasSuffix(mark) { path.removeLast(mark.count) }
    let folder = path.lastIndex(of: "/").map { path[..<$0] } ?? ""
    let program = "\(folder)/fettle"
    return access(program, X_OK) == 0 ? program : nil
  }
}

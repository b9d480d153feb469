internal import FoundationEssentials
internal import Glibc

/// A program of this machine that does a part of the work and whose output is read.
package struct Tool: Sendable {
  /// The result of a program that ended.
  package struct Outcome: Sendable {
    package let status: Int32
    package let output: String
    package let errors: String

    /// The last lines of the program's messages, which name the cause of a failure.
    package var lastWords: String {
      let said = errors.allSatisfy(\.isWhitespace) ? output : errors
      let lines = said.split(separator: "\n").suffix(4).map { $0.drop { $0 == " " } }
      return lines.isEmpty ? "without a message" : lines.joined(separator: " | ")
    }
  }

  package let path: String
  let user: ServerUser
  /// Variables besides `PATH` and `LC_ALL`, such as `HOME=/root`.
  let variables: [String]

  /// A program that this user runs.
  package init(_ path: String, variables: [String] = []) {
    self.init(path, as: .current, variables: variables)
  }

  init(_ path: String, as user: ServerUser, variables: [String] = []) {
    self.path = path
    self.user = user
    self.variables = variables
  }

  /// Returns the path of an installed program.
  ///
  /// - Parameter package: the Debian package to install if it is missing.
  /// - Throws: ``ClusterError`` of kind `programMissing`.
  package static func find(_ name: String, package: String) throws(ClusterError) -> String {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    for folder in path.split(separator: ":") where folder.hasPrefix("/") {
      if access("\(folder)/\(name)", X_OK) == 0 { return "\(folder)/\(name)" }
    }
    throw ClusterError(
      .programMissing,
      "\(name) is not installed",
      hint: "install it with `apt-get install \(package)`"
    )
  }

  /// Runs the program and reads its output.
  ///
  /// - Parameters:
  ///   - folder: the working folder.
  ///   - file: the file to which the program's output goes, instead of the outcome.
  /// - Throws: ``ClusterError`` of kind `spawnFailed`, `CancellationError`.
  package func run(_ arguments: [String], in folder: String = "/", to file: String? = nil) async throws
    -> Outcome
  {
    var template = Array("/tmp/fettle-tool.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw ClusterError.system(
        .spawnFailed,
        "cannot write to /tmp",
        errno: errno,
        hint: "free space in /tmp"
      )
    }
    let scratch = String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { try? FileManager.default.removeItem(atPath: scratch) }  // a leftover folder in /tmp is harmless
    let output = file ?? "\(scratch)/output"
    var command = Command(
      executable: path,
      arguments: arguments,
      user: user,
      output: "\(scratch)/errors",
      variables: variables
    )
    command.results = output
    command.folder = folder
    let status = try await command.run()
    return Outcome(
      status: status,
      output: file == nil ? SystemFile.text(at: output) ?? "" : "",
      errors: SystemFile.text(at: "\(scratch)/errors") ?? ""
    )
  }

  /// Runs the program, which must succeed, and returns its output.
  ///
  /// - Throws: ``ClusterError`` of kind `programFailed` with the program's last words; otherwise as ``run(_:in:to:)``.
  @discardableResult
  package func done(
    _ arguments: [String],
    in folder: String = "/",
    to file: String? = nil,
    hint: String = "read the message of the program, remove the cause, and run the command again"
  ) async throws -> String {
    let outcome = try await run(arguments, in: folder, to: file)
    guard outcome.status == 0 else {
      let name = path.split(separator: "/").last ?? "program"
      throw ClusterError(.programFailed, "\(name) failed: \(outcome.lastWords)", hint: hint)
    }
    return outcome.output
  }
}

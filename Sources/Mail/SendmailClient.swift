internal import FoundationEssentials
internal import Glibc
internal import Subprocess
internal import SystemPackage

/// Hands mails to a program that takes them as sendmail does: `sendmail -t -i`.
package struct SendmailClient: Mailer {
  private let path: String
  private let limit: Duration
  private let environment: [String: String]

  /// Creates a client.
  ///
  /// - Parameters:
  ///   - path: the absolute path of the program.
  ///   - limit: the time limit for one mail.
  ///   - environment: the process's environment; only `PATH` and `HOME` are passed on.
  package init(path: String, limit: Duration = .seconds(40), environment: [String: String]) {
    self.path = path
    self.limit = limit
    var kept = environment.filter { ["PATH", "HOME"].contains($0.key) }
    kept["PATH"] = kept["PATH"] ?? "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
    kept["LC_ALL"] = "C"
    self.environment = kept
  }

  package func send(_ message: MailMessage) async -> MailOutcome {
    let bytes: [UInt8]
    do {
      bytes = try message.rendered()
    } catch {
      return .permanent(reason: error.message, nil, isAddress: false)
    }
    // Programs on Unix expect bare line feeds.
    let lines = bytes.filter { $0 != 0x0D }
    do {
      return try await withThrowingTaskGroup(of: MailOutcome?.self) { group in
        group.addTask { try await run(lines, sender: message.from.address) }
        group.addTask {
          try await Task.sleep(for: limit)
          return nil
        }
        defer { group.cancelAll() }
        return try await group.next().flatMap(\.self)
          ?? .temporary(reason: "\(path) took longer than \(limit)", nil)
      }
    } catch is CancellationError {
      return .temporary(reason: "the mail was cancelled", nil)
    } catch {
      return .temporary(reason: "\(path) cannot be run: \(error)", nil)
    }
  }

  /// The message is a file without a name, not a pipe: a program that ends without reading leaves nobody writing.
  private func run(_ message: [UInt8], sender: String) async throws -> MailOutcome {
    let input = try Self.file(with: message)
    let result = try await Subprocess.run(
      .name("sh"),
      arguments: ["-c", #"exec "$@""#, "sh", path, "-t", "-i", "-f", sender],
      environment: .custom(
        Dictionary(uniqueKeysWithValues: environment.map { (Environment.Key(stringLiteral: $0), $1) })
      ),
      platformOptions: Self.options,
      input: .fileDescriptor(input, closeAfterSpawningProcess: true),
      output: .discarded,
      error: .bytes(limit: 65_536)
    )
    return switch result.terminationStatus {
    case .exited(let status): outcome(Int(status), Self.lastLine(result.standardError))
    case .signaled(let signal): .temporary(reason: "\(path) was ended by signal \(signal)", nil)
    }
  }

  /// Returns an open file without a name, at its beginning.
  private static func file(with bytes: [UInt8]) throws -> FileDescriptor {
    var name = Array("\(FileManager.default.temporaryDirectory.path)/fettle-mail-XXXXXX".utf8CString)
    let file = FileDescriptor(rawValue: mkstemp(&name))
    guard file.rawValue >= 0 else { throw Errno(rawValue: errno) }
    do {
      unlink(name)
      try file.writeAll(bytes)
      try file.seek(offset: 0, from: FileDescriptor.SeekOrigin.start)
      return file
    } catch {
      try? file.close()
      throw error
    }
  }

  /// Returns the outcome of an exit status (`sysexits.h`).
  private func outcome(_ status: Int, _ text: String) -> MailOutcome {
    let answer = MailAnswer(code: status, text: text)
    let reason = "\(path) exited with status \(status)" + (text.isEmpty ? "" : ": \(text)")
    return switch status {
    case 0: .accepted(answer)
    // EX_NOUSER, EX_NOHOST
    case 67, 68: .permanent(reason: reason, answer, isAddress: true)
    // EX_DATAERR
    case 65: .permanent(reason: reason, answer, isAddress: false)
    default: .temporary(reason: reason, answer)
    }
  }

  /// A process group of its own, so that all processes that the program started end with it.
  private static var options: PlatformOptions {
    var options = PlatformOptions()
    options.processGroupID = 0
    options.teardownSequence = [
      .gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: .seconds(2)),
      .send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .seconds(2)),
    ]
    return options
  }

  private static func lastLine(_ said: [UInt8]) -> String {
    let text = String(decoding: said.suffix(2_000), as: UTF8.self)
    return text.split(whereSeparator: \.isNewline).last.map { String($0.prefix(300)) } ?? ""
  }
}

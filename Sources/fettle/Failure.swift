internal import ArgumentParser
internal import Cluster
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Glibc
internal import Postgres
internal import Secrets
internal import Store
internal import Terminal

/// A failed command: a message with a hint, and a stable exit code.
struct Failure {
  private let report: ErrorReport?
  private let code: Terminal.ExitCode
  private let original: any Error

  init(_ error: any Error) {
    let error: any Error = error is CocoaError ? FileFault(error) : error
    original = error
    switch error {
    case let error as DomainError:
      report = ErrorReport(error)
      code = Self.code(error.category)
    case let error as PostgresError:
      let refusal = DomainError(error)
      report = ErrorReport(refusal)
      code = Self.code(refusal.category)
    case let error as TerminalError:
      report = error.kind == .outputClosed ? nil : ErrorReport(error)
      code = error.exitCode
    case let error as ClusterError:
      report = ErrorReport(code: "unavailable", message: error.message, hint: error.hint)
      code = .unavailable
    case let error as SecretsError:
      report = ErrorReport(code: "secrets", message: error.message, hint: error.hint)
      code = .invalidInput
    case let error as FileFault:
      report = ErrorReport(code: error.code, message: error.message, hint: error.hint)
      code = error.isFull ? .internalFailure : .invalidInput
    case is CancellationError:
      report = ErrorReport(code: "interrupted", message: "interrupted")
      code = .interrupted
    case let error as ArgumentParser.ExitCode:
      report = nil
      code = Terminal.ExitCode(rawValue: error.rawValue) ?? .internalFailure
    default:
      (report, code) = Self.usage(error)
    }
  }

  /// Returns the report and the exit code of an error of the argument parser, or of an unexpected error. Help
  /// and version have no report.
  private static func usage(_ error: any Error) -> (ErrorReport?, Terminal.ExitCode) {
    switch Fettle.exitCode(for: error) {
    case .success: return (nil, .done)
    case .validationFailure:
      let usage = UsageMessage(Fettle.message(for: error), full: Fettle.fullMessage(for: error))
      return (ErrorReport(code: "usage", message: usage.message, hint: usage.hint), .usage)
    default:
      return (ErrorReport(code: ErrorCode.internal.rawValue, message: "\(error)"), .internalFailure)
    }
  }

  /// Prints the error on stderr and ends the process with the exit code.
  func exit() -> Never {
    guard var report else {
      // The argument parser prints help and version.
      if code == .done, !(original is TerminalError) {
        let help = HelpText.arranged(Fettle.fullMessage(for: original), width: Screen.output.width ?? 80)
        do { try BufferedOutput.print(help + "\n") } catch { Failure(error).exit() }
        Glibc.exit(0)
      }
      Glibc.exit(code.rawValue)
    }
    report.message = Credentials.hidden(in: report.message)
    // The parser may have refused the arguments, so the options are read from the words.
    let words = CommandLine.arguments.dropFirst().prefix { $0 != "--" }
    if let hint = Self.hint(for: original, words) { report.hint = hint }
    let format =
      Self.value(of: ["--output", "-o"], in: words).flatMap(OutputFormat.init(rawValue:)) ?? .table
    let color = Self.value(of: ["--color"], in: words).flatMap(Screen.ColorChoice.init(rawValue:)) ?? .auto
    let text = report.rendered(for: format, on: Screen.errors(color: color))
    var out = BufferedOutput(descriptor: 2)
    try? out.write(text)  // if stderr is closed, only the exit code reports the failure
    try? out.flush()
    Glibc.exit(code.rawValue)
  }

  /// Returns the command that explains a missing permission, with the member and the company of the failed command, or the
  /// options that give missing fields; nil for other errors, and for an operator in their own name.
  private static func hint(for error: any Error, _ words: some Sequence<String>) -> String? {
    guard let error = error as? DomainError else { return nil }
    if error.code == .missingFields, let fields = error.details["fields"]?.array?.compactMap(\.string),
      !fields.isEmpty
    {
      let options = fields.map { $0 == "comment" ? "--comment TEXT" : "--set \($0)=VALUE" }
      let minimum = fields.contains("comment") ? error.details["comment_min"]?.number : nil
      return
        "add `\(options.joined(separator: " "))`\(minimum.map { "; the comment requires \($0) characters or more" } ?? "")"
    }
    guard error.code == .forbidden, let permission = error.details["permission"]?.string,
      let named = value(of: ["--as"], in: words)
    else { return nil }
    var (member, company) = (named, value(of: ["--company", "-c"], in: words))
    // `ana@acme` names both.
    if company == nil, let at = named.lastIndex(of: "@"), !named[at...].contains(".") {
      (member, company) = (String(named[..<at]), String(named[named.index(after: at)...]))
    }
    let place = company.map { " --company \($0)" } ?? ""
    return "show the checks with `fettle access explain --user \(member) --do \(permission)\(place)`"
  }

  /// Returns the value of an option, as `--output json`, `--output=json` or `-ojson`.
  private static func value(of names: [String], in words: some Sequence<String>) -> String? {
    var previous: String?
    for word in words {
      if let previous, names.contains(previous) { return word }
      for name in names {
        if word.hasPrefix("\(name)=") { return String(word.dropFirst(name.count + 1)) }
        if name.count == 2, word.hasPrefix(name), word.count > 2 { return String(word.dropFirst(2)) }
      }
      previous = word
    }
    return nil
  }

  private static func code(_ category: ErrorCategory) -> Terminal.ExitCode {
    switch category {
    case .notFound: .notFound
    case .denied: .denied
    case .conflict: .conflict
    case .invalid: .invalidInput
    case .unavailable: .unavailable
    case .internal: .internalFailure
    }
  }
}

extension ErrorReport {
  /// Creates a report from a domain error.
  init(_ error: DomainError) {
    self.init(
      code: error.code.rawValue,
      message: error.message,
      hint: error.hint,
      details: error.details.members.map { Cell.Field($0.key, Cell($0.value)) }
    )
  }
}

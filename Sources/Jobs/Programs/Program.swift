internal import Domain
internal import FoundationEssentials
internal import Glibc
internal import Webhooks

/// A program that an operator registers for a kind of job: an executable file, as in
/// `plan.generate=./responder`, or an address that receives a POST.
///
/// ```swift
/// let program = try Program("plan.generate=https://planner.example/jobs")
/// program.kind  // "plan.generate"
/// ```
package struct Program: Sendable, Equatable {
  /// The location of a program.
  enum Place: Sendable, Equatable {
    /// An executable file on this machine.
    case executable(String)
    /// An address that receives a POST.
    case address(String)
  }

  /// The limits for one job of a program.
  package struct Limits: Sendable, Equatable {
    /// The maximum time for one job; after that, the attempt fails and is retried.
    package var time: Duration
    /// The maximum memory that an executable may write to, in MiB. Has no effect on an address.
    package var memory: Int

    /// Creates limits; the defaults are one minute and 1 GiB.
    package init(time: Duration = .seconds(60), memory: Int = 1_024) {
      self.time = time
      self.memory = memory
    }
  }

  /// The kind of job that the program runs: one to four words separated by dots.
  package let kind: String
  /// The location of the program; the path of an executable is absolute.
  let place: Place

  /// Reads `kind=./program` or `kind=https://address`. The path of an executable is resolved against the
  /// current directory.
  ///
  /// - Parameter text: the kind and the location, separated by the first `=`.
  /// - Throws: `invalid_input` for any other form, for an address that webhooks do not permit, and if the
  ///   file does not exist or cannot be executed: the worker fails at startup and not at the first job.
  package init(_ text: String) throws {
    let halves = text.split(separator: "=", maxSplits: 1).map(String.init)
    guard halves.count == 2, Identifier.isDotted(halves[0], words: 1...4) else {
      throw DomainError(
        .invalidInput,
        "\(Quoted(text)) is not kind=program",
        hint: "write plan.generate=./responder or plan.generate=https://…"
      )
    }
    kind = halves[0]
    if halves[1].contains("://") {
      if let fault = Webhook.fault(in: halves[1]) { throw DomainError(.invalidInput, fault) }
      place = .address(halves[1])
    } else {
      // Absolute from here on, since the working directory may change.
      guard let path = realpath(halves[1], nil) else {
        throw DomainError(.invalidInput, "program \(Quoted(halves[1])) not found", hint: "check the path")
      }
      defer { free(path) }
      guard access(path, X_OK) == 0 else {
        throw DomainError(
          .invalidInput,
          "\(Quoted(halves[1])) cannot be executed",
          hint: "chmod +x \(halves[1])"
        )
      }
      place = .executable(String(cString: path))
    }
  }
}

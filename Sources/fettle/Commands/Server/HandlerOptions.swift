internal import ArgumentParser
internal import Jobs

/// Programs that handle jobs, for `work` and `up`.
struct HandlerOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Program or URL for a job kind: JSON in and out; exit 0 done, 75 retry in minutes, else failed",
      valueName: "kind=program"
    )
  )
  var handler: [String] = []

  @Option(help: ArgumentHelp("Time limit of a handler program or URL, 1 to 3600", valueName: "seconds"))
  var handlerTimeout = 60

  @Option(help: ArgumentHelp("Memory limit of a handler program, 16 to 1048576", valueName: "MiB"))
  var handlerMemory = 1_024

  var limits: Program.Limits { Program.Limits(time: .seconds(handlerTimeout), memory: handlerMemory) }

  func validate() throws {
    guard (1...3_600).contains(handlerTimeout) else {
      throw ValidationError("--handler-timeout is 1 to 3600")
    }
    guard (16...1_048_576).contains(handlerMemory) else {
      throw ValidationError("--handler-memory is 16 to 1048576")
    }
  }

  /// Returns the programs.
  ///
  /// - Throws: `invalid_input` for a program that does not exist or cannot be executed.
  func programs() throws -> [Program] { try handler.map { try Program($0) } }
}

internal import ArgumentParser
internal import Domain

/// What a transition may be given.
struct TransitionOptions: ParsableArguments {
  @Option(help: "Why, for the history; some transitions require it.")
  var comment: String?

  @Option(help: ArgumentHelp("The version you saw; another one is refused.", valueName: "n"))
  var ifVersion: Int64?

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp("A field that the transition requires.", valueName: "column=value")
  )
  var fields: [String] = []

  func request(_ transition: String) throws -> TransitionRequest {
    TransitionRequest(
      transition,
      comment: comment,
      expectedVersion: ifVersion,
      fields: try FieldArguments.object(fields)
    )
  }
}

internal import ArgumentParser
internal import Domain

/// Performs a transition on one record, or on all records that match a filter.
struct NounDo<Place: NounPlace>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    let noun = Place.noun
    let transition = noun.transitions.first ?? "transition"
    let state = noun.states.first ?? "open"
    return CommandConfiguration(
      commandName: "do",
      abstract: "Perform a transition on \(noun.many)",
      scope: .company,
      discussion: """
        Transitions: \(noun.transitions.joined(separator: ", ")).

        Examples:
          \(noun.example(of: "do", "\(transition) \(noun.example)"))
          fettle \(noun.name) do \(transition) --where status=\(state) -c acme
        """
    )
  }

  @OptionGroup var options: RecordOptions
  @OptionGroup var change: ChangeOptions
  @Argument(help: "Name of the transition", completion: .list(Place.noun.transitions)) var transition: String
  @Argument(
    help: "Number, key or id (default: all records that match --where)",
    completion: NounRecord<Place>.completion
  )
  var record: String?
  @OptionGroup var request: TransitionOptions

  func validate() throws { try options.requireOne(request.record(record, options)) }

  func run() async throws {
    let actions = RecordActions(options: options, type: Place.noun.type.name)
    let named = self.request.record(record, options)
    let request = try request.request(transition, named == nil ? record.map { [$0] } ?? [] : [])
    guard let record = named else { return try await actions.transitionAll(change, request) }
    try await actions.transition(change, record, request)
  }
}

internal import Domain
internal import Store
internal import Web

/// The jobs that a page of the operator's console is about: those of a company and with properties, as its address says.
struct JobChoice: Sendable, Hashable {
  /// The short name of the company; nil for all companies.
  var company: String?
  var filter = JobFilter()

  /// Reads what an address or a form asks for. A state that does not exist chooses nothing.
  init(_ asked: (String) -> String?) {
    company = asked("company")
    filter = JobFilter(
      state: asked("state").flatMap(JobState.init(rawValue:)),
      kind: asked("kind"),
      queue: asked("queue")
    )
  }

  init(company: String? = nil, _ filter: JobFilter) {
    self.company = company
    self.filter = filter
  }

  /// The choice as parameters of an address, or fields of a form.
  var pairs: [(name: String, value: String)] {
    [
      ("company", company), ("state", filter.state?.rawValue), ("kind", filter.kind), ("queue", filter.queue),
    ].compactMap { name, value in value.map { (name: name, value: $0) } }
  }

  /// The page that lists these jobs.
  var place: Place { Place(["jobs"], query: pairs) }

  /// Returns the choice in words, such as `kind solar.push, queue push`.
  func text(_ words: Words) -> String {
    let parts = [
      filter.state.map { words("job.state.\($0.rawValue)") },
      filter.kind.map { words("operator.of.kind", $0) }, filter.queue.map { words("operator.of.queue", $0) },
      words("operator.of.company", company ?? words("operator.all")),
    ]
    return parts.compactMap(\.self).joined(separator: " · ")
  }
}

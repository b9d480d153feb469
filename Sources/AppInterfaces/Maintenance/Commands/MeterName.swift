internal import Apps
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials

/// Finds a meter by its name or id and its machine's code.
struct MeterName {
  let options: RecordOptions

  /// Returns the id of a meter. A name that is an id is returned without a lookup.
  ///
  /// - Throws: `not_found` if the machine does not exist, or has no meter of that name; the hint then has the
  ///   closest name or all names.
  func id(of name: String, on machine: String) async throws -> String {
    try await options.company.withActingContext { services, acting in
      if let id = UUID(text: name) { return id.text }
      let records = try await Records.open(services)
      let machineID = try await records.resolve(acting, type: "maintenance.machine", machine)
      var query = RecordQuery()
      query.filters = [("machine_id", machineID.text)]
      query.limit = 1_000
      let meters = try await records.list(acting, type: "maintenance.meter", query)
      let names = meters.compactMap { $0["name"]?.string }
      let found = meters.first { $0["name"]?.string?.lowercased() == name.lowercased() }
      guard let id = found?["id"]?.string else {
        let closest = Suggestion.closest(to: name, among: names)
        throw DomainError(
          .notFound,
          "\(machine) has no meter \(Quoted(name))",
          hint: closest.map { "did you mean \($0)?" }
            ?? (names.isEmpty
              ? "add one with `fettle meter add`" : "use one of: \(names.sorted().joined(separator: ", "))")
        )
      }
      return id
    }
  }
}

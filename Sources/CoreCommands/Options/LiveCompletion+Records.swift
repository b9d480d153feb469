internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store

extension LiveCompletion {
  /// Returns the record types.
  package static func types() async -> [String] {
    await asking { services in try await Records.open(services).catalogue.types.map(\.name) }
  }

  /// Returns the fields of the type among the words so far, each with its `=`.
  package static func fields(_ words: [String]) async -> [String] {
    await asking { services in
      try type(in: words, await Records.open(services))?.definition.creatable.map { "\($0)=" } ?? []
    }
  }

  /// Returns the transitions of the type among the words so far that people may perform.
  package static func transitions(_ words: [String]) async -> [String] {
    await asking { services in
      let type = try type(in: words, await Records.open(services))
      return type?.workflow?.transitions.filter { $0.by == .person }.map(\.name) ?? []
    }
  }

  /// Returns the names of the newest hundred records of the type among the words so far.
  package static func records(_ words: [String]) async -> [String] {
    await inCompany(of: words) { services, acting in
      let records = try await Records.open(services)
      guard let type = type(in: words, records) else { return [] }
      let documents = try await records.list(acting, type: type.name, RecordQuery())
      return documents.compactMap { document in
        let name = type.definition.nameColumns.lazy.compactMap { document[$0]?.string }.first
        return name ?? document["id"]?.string
      }
    }
  }

  /// Returns the names of the newest hundred records of a type; for `core.membership`, the members' handles.
  package static func records(of type: String, _ words: [String]) async -> [String] {
    type == "core.membership" ? await members(words) : await records([type] + words)
  }

  /// Returns the states of a type's workflow.
  package static func states(of type: String) async -> [String] {
    await asking { services in
      try await Records.open(services).catalogue.type(type).workflow?.states.map(\.name) ?? []
    }
  }

  /// Returns the names of the schedules of the company among the words so far.
  package static func schedules(_ words: [String]) async -> [String] {
    await inCompany(of: words) { services, acting in try await Schedules(services).list(acting).map(\.name) }
  }

  private static func type(in words: [String], _ records: Records) -> RecordType? {
    for word in words {
      if let type = records.catalogue.types.first(where: { $0.name == word }) { return type }
    }
    return nil
  }
}

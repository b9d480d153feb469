extension WorkflowOverlay: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case overlay, company, tighten, relabel
  }

  /// Decodes an overlay.
  ///
  /// - Throws: `unknown_key` for an unknown key anywhere in it, `invalid_document` for an invalid value.
  package init(from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: CodingKeys.allCases.map(\.rawValue))
    let subject: String = try object.required("overlay")
    let parts = subject.split(separator: "@", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, Identifier.isDotted(parts[0], words: 2...2), let version = Int(parts[1]),
      VersionNumber.range.contains(version)
    else {
      throw object.invalid(
        "overlay",
        "\(Quoted(subject)) is not of the form app.type@version",
        hint: "write it like maintenance.entry@1"
      )
    }
    let tighten = try object.optional("tighten", as: Tighten.self)
    self.init(
      workflow: parts[0],
      version: version,
      company: try object.optional("company"),
      transitions: tighten?.transitions ?? [],
      states: tighten?.states ?? [],
      labels: try object.optional("relabel", as: Labels.self)?.labels ?? []
    )
  }

  /// Encodes the overlay. Transitions and states become arrays, because `jsonb` does not keep the order of
  /// keys.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode("\(workflow)@\(version)", forKey: .overlay)
    try container.encodeIfPresent(company, forKey: .company)
    if !transitions.isEmpty || !states.isEmpty {
      try container.encode(Tighten(transitions: transitions, states: states), forKey: .tighten)
    }
    if !labels.isEmpty { try container.encode(Labels(labels: labels), forKey: .relabel) }
  }

  private struct Tighten: Codable {
    let transitions: [TightenedTransition]
    let states: [TightenedState]

    init(transitions: [TightenedTransition], states: [TightenedState]) {
      self.transitions = transitions
      self.states = states
    }

    init(from decoder: any Decoder) throws {
      let object = try StrictObject(decoder, keys: ["transitions", "states"])
      transitions = try object.named("transitions")
      states = try object.named("states")
    }
  }

  private struct Labels: Codable {
    let labels: [Relabelling]

    init(labels: [Relabelling]) { self.labels = labels }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: NamedKey.self)
      labels = try container.allKeys.sorted(by: { $0.stringValue < $1.stringValue }).map { key in
        Relabelling(name: key.stringValue, label: try container.decode(String.self, forKey: key))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: NamedKey.self)
      for label in labels { try container.encode(label.label, forKey: NamedKey(label.name)) }
    }
  }
}

extension TightenedTransition: NamedDecodable, Encodable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case name, guards, require, disabled
  }

  /// The keys of a transition that an overlay cannot change.
  private static let closed = ["label", "from", "to", "permission", "by", "set", "distinct_from", "effects"]

  package init(name: String?, from decoder: any Decoder) throws {
    let keys = CodingKeys.allCases.map(\.rawValue).filter { name == nil || $0 != "name" }
    let object = try StrictObject(decoder, keys: keys + Self.closed)
    self.init(
      name: try name ?? object.required("name"),
      guards: try object.value("guards", default: []),
      require: try object.value("require", default: Requirements()),
      isDisabled: try object.optional("disabled"),
      surplus: Self.closed.filter(object.has)
    )
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    if !guards.isEmpty { try container.encode(guards, forKey: .guards) }
    if require != Requirements() { try container.encode(require, forKey: .require) }
    try container.encodeIfPresent(isDisabled, forKey: .disabled)
  }
}

extension TightenedState: NamedDecodable, Encodable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case name, after
  }

  /// The keys of a state that an overlay cannot change.
  private static let closed = ["label", "category", "color", "final"]

  package init(name: String?, from decoder: any Decoder) throws {
    let keys = CodingKeys.allCases.map(\.rawValue).filter { name == nil || $0 != "name" }
    let object = try StrictObject(decoder, keys: keys + Self.closed)
    self.init(
      name: try name ?? object.required("name"),
      timers: try object.named("after"),
      surplus: Self.closed.filter(object.has)
    )
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    if !timers.isEmpty { try container.encode(timers, forKey: .after) }
  }
}

extension TightenedTimer: NamedDecodable, Encodable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case fire = "name"
    case delay
    case interval = "repeat"
  }

  package init(name: String?, from decoder: any Decoder) throws {
    let keys = CodingKeys.allCases.map(\.rawValue).filter { name == nil || $0 != "name" }
    let object = try StrictObject(decoder, keys: keys)
    self.init(
      fire: try name ?? object.required("name"),
      delay: try object.optional("delay"),
      every: try object.optional("repeat")
    )
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(fire, forKey: .fire)
    try container.encodeIfPresent(delay, forKey: .delay)
    try container.encodeIfPresent(interval, forKey: .interval)
  }
}

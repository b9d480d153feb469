extension CompanyState {
  /// Returns the company as an object of a provisioning file.
  ///
  /// Equal states give equal members in the same order.
  ///
  /// - Parameters:
  ///   - records: the records to include, by type.
  ///   - types: the definitions of these types.
  /// - Throws: `unknown_type` or `invalid_input` for a type whose records cannot be provisioned.
  package func document(records: [String: [RecordState]], types: ProvisionedTypes) throws -> JSONObject {
    var object: JSONObject = [:]
    object["name"] = name.map { .string($0) }
    object["kind"] = kind.map { .string($0.rawValue) }
    object["timezone"] = timeZone.map { .string($0) }
    if let status, status != .active { object["status"] = .string(status.rawValue) }
    if let apps, apps.isChosen { object["apps"] = .strings(apps.enabled) }
    object["roles"] = roles.map {
      .object(JSONObject($0.sorted { $0.name < $1.name }.map { ($0.name, $0.document) }))
    }
    object["members"] = members.map {
      .object(JSONObject($0.sorted { $0.key < $1.key }.map { ($0.email, $0.document) }))
    }
    object["invites"] = invites.map {
      .array($0.map(\.policy).sorted { $0.order < $1.order }.map(\.document))
    }
    object["webhooks"] = webhooks.map {
      .array($0.sorted { $0.order < $1.order }.map(\.document))
    }
    object["entitlements"] = entitlements.map { .array($0.sorted { $0.text < $1.text }.map(\.document)) }
    object["quotas"] = quotas.map {
      .object(JSONObject($0.sorted { $0.type < $1.type }.map { ($0.type, .integer($0.maximum)) }))
    }
    object["queue_limits"] = queueLimits.map { .array($0.sorted { $0.text < $1.text }.map(\.document)) }
    object["workflows"] = workflows.map {
      .object(JSONObject($0.sorted { $0.type < $1.type }.map { ($0.type, .integer($0.version)) }))
    }
    if let numbers, !numbers.isEmpty {
      object["numbers"] = .object(
        JSONObject(numbers.sorted { $0.type < $1.type }.map { ($0.type, .string($0.format.text)) })
      )
    }
    // A company that has not chosen follows a later default.
    if let settings = settings?.filter({ !$0.isDefault }), !settings.isEmpty {
      object["settings"] = .object(
        JSONObject(settings.sorted { $0.name < $1.name }.map { ($0.name, .string($0.value)) })
      )
    }
    object["schedules"] = schedules.map { schedules in
      .object(
        JSONObject(
          schedules.sorted { $0.name < $1.name }.map { ($0.name, ["paused": .bool($0.isPaused)]) }
        )
      )
    }
    object["overlays"] = overlays.map { .array($0.sorted { $0.name < $1.name }.compactMap(\.text)) }
    var others: JSONObject = [:]
    let sections = types.sections
    for section in sections {
      guard let found = records[section.type] else { continue }
      object[section.name] = try types.document(of: found, type: types.type(section.type))
    }
    for (type, found) in records.sorted(by: { $0.key < $1.key })
    where !sections.contains(where: { $0.type == type }) {
      others[type] = try types.document(of: found, type: types.type(type))
    }
    if !others.isEmpty { object["records"] = .object(others) }
    return object
  }
}

extension RoleState {
  var document: JSONValue {
    var object: JSONObject = [:]
    object["label"] = label.map { .string($0) }
    object["permissions"] = .strings(permissions)
    return .object(object)
  }
}

extension MemberState {
  var document: JSONValue {
    var object: JSONObject = [:]
    object["name"] = name.map { .string($0) }
    object["role"] = role.map { .string($0) }
    if let status, status != .active { object["status"] = .string(status.rawValue) }
    return .object(object)
  }
}

extension InviteState {
  var order: (String, String, Int, Int) { (role, email ?? "", uses, days) }

  var document: JSONValue {
    var object: JSONObject = ["role": .string(role), "uses": .integer(uses), "days": .integer(days)]
    object["email"] = email.map { .string($0) }
    return .object(object)
  }
}

extension WebhookState {
  var order: (String, String, Int) { (url, events.joined(separator: " "), isActive ? 0 : 1) }

  /// The webhook as an object of a file. Its secret is left out: it never leaves the database.
  var document: JSONValue {
    var object: JSONObject = ["url": .string(url), "events": .strings(events)]
    if !isActive { object["active"] = false }
    return .object(object)
  }
}

extension ProvisionedTypes {
  /// Returns the records of one type for a file.
  ///
  /// They are a mapping by name if the key has one column and no two records share a key, otherwise a list.
  func document(of records: [RecordState], type: Entry) -> JSONValue {
    let key = type.definition.key
    let sorted = records.sorted {
      ($0.key.text.lowercased(), $0.key.text) < ($1.key.text.lowercased(), $1.key.text)
    }
    guard key.count > 1 || Set(sorted.map(\.key)).count < sorted.count else {
      return .object(
        JSONObject(sorted.map { ($0.key.text, .object(fields(of: $0, type, leaving: key))) })
      )
    }
    return .array(
      sorted.map { record in
        var object: JSONObject = [:]
        for column in key.reversed() {
          guard let value = record.fields[column], !value.isNull else { continue }
          object[type.title(of: column)] = value
        }
        for (field, value) in fields(of: record, type, leaving: key).members { object[field] = value }
        // A record whose only field is its name is written as that name, such as a base category.
        if object.count == 1, let value = object[type.title(of: key.last ?? "")], value.string != nil,
          type.columns.count == key.count, type.workflow == nil
        {
          return value
        }
        return .object(object)
      }
    )
  }

  /// Returns the fields that are not part of the key. Null values are included, so that applying the file
  /// clears them.
  private func fields(of record: RecordState, _ type: Entry, leaving key: [String]) -> JSONObject {
    var object: JSONObject = [:]
    for column in type.columns where !key.contains(column) {
      let value = record.fields[column] ?? .null
      object[type.title(of: column)] = type.reference(column) == nil ? value : Self.short(value)
    }
    object["status"] = record.status.map { .string($0) }
    return object
  }

  /// Returns a reference as its last value if all others are null: `Engine` for a category that belongs to no
  /// machine.
  private static func short(_ reference: JSONValue) -> JSONValue {
    guard let parts = reference.array, let last = parts.last, parts.dropLast().allSatisfy(\.isNull) else {
      return reference
    }
    return last
  }
}

-- A number that a device has described, and not sent, may get another change: from a copy of the device, or when the device
-- renumbers its unsent changes.
grant update (record_type, record_id, op, owner_id) on core.sync_item to fettle_app, fettle_worker, fettle_admin;

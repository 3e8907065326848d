CREATE TABLE ipblocks (
    ipb_id serial,
    ipb_address varchar(255) NOT NULL,
    ipb_user int NOT NULL DEFAULT 0,
    ipb_by int NOT NULL DEFAULT 0,
    ipb_reason varchar(255) NOT NULL,
    ipb_timestamp varchar(14) NOT NULL,
    ipb_expiry varchar(14) NOT NULL,
    PRIMARY KEY (ipb_id)
);
CREATE INDEX idx_ipb_user ON ipblocks (ipb_user);
CREATE TABLE useracct (
    user_id serial,
    user_name varchar(255) NOT NULL DEFAULT '',
    user_real_name varchar(255) NOT NULL DEFAULT '',
    user_password varchar(255) NOT NULL DEFAULT '',
    user_email varchar(255) NOT NULL DEFAULT '',
    user_options varchar(255) NOT NULL DEFAULT '',
    user_touched varchar(14) NOT NULL,
    user_token varchar(32) NOT NULL DEFAULT '',
    user_registration varchar(14) DEFAULT NULL,
    user_editcount int NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id)
);
CREATE TABLE logging (
    log_id serial,
    log_type varchar(32) NOT NULL,
    log_action varchar(32) NOT NULL,
    log_timestamp varchar(14) NOT NULL,
    log_user int NOT NULL DEFAULT 0,
    log_user_text varchar(255) NOT NULL DEFAULT '',
    log_namespace int NOT NULL DEFAULT 0,
    log_title varchar(255) NOT NULL DEFAULT '',
    log_page int DEFAULT NULL,
    log_comment varchar(255) NOT NULL DEFAULT '',
    log_params varchar(255) NOT NULL,
    log_deleted smallint NOT NULL DEFAULT 0,
    PRIMARY KEY (log_id)
);
CREATE TABLE page (
    page_id serial,
    page_namespace int NOT NULL,
    page_title varchar(255) NOT NULL,
    page_restrictions varchar(255) NOT NULL,
    page_counter bigint NOT NULL DEFAULT 0,
    page_is_redirect smallint NOT NULL DEFAULT 0,
    page_is_new smallint NOT NULL DEFAULT 0,
    page_random double precision NOT NULL,
    page_touched varchar(14) NOT NULL,
    page_latest int NOT NULL,
    page_len int NOT NULL,
    PRIMARY KEY (page_id),
    UNIQUE (page_namespace, page_title)
);
CREATE TABLE page_backup (
    page_id serial,
    page_namespace int NOT NULL,
    page_title varchar(255) NOT NULL,
    page_latest int NOT NULL,
    PRIMARY KEY (page_id)
);
CREATE TABLE page_restrictions (
    pr_id serial,
    pr_page int NOT NULL,
    pr_type varchar(60) NOT NULL,
    pr_level varchar(60) NOT NULL,
    pr_cascade smallint NOT NULL,
    pr_user int DEFAULT NULL,
    pr_expiry varchar(14) DEFAULT NULL,
    PRIMARY KEY (pr_id),
    UNIQUE (pr_page, pr_type)
);
CREATE TABLE recentchanges (
    rc_id serial,
    rc_timestamp varchar(14) NOT NULL DEFAULT '',
    rc_cur_time varchar(14) NOT NULL DEFAULT '',
    rc_user int NOT NULL DEFAULT 0,
    rc_user_text varchar(255) NOT NULL,
    rc_namespace int NOT NULL DEFAULT 0,
    rc_title varchar(255) NOT NULL DEFAULT '',
    rc_comment varchar(255) NOT NULL DEFAULT '',
    rc_minor smallint NOT NULL DEFAULT 0,
    rc_bot smallint NOT NULL DEFAULT 0,
    rc_cur_id int NOT NULL DEFAULT 0,
    rc_this_oldid int NOT NULL DEFAULT 0,
    rc_last_oldid int NOT NULL DEFAULT 0,
    rc_type smallint NOT NULL DEFAULT 0,
    rc_moved_to_ns smallint NOT NULL DEFAULT 0,
    rc_moved_to_title varchar(255) NOT NULL DEFAULT '',
    rc_ip varchar(40) NOT NULL DEFAULT '',
    rc_old_len int DEFAULT NULL,
    rc_new_len int DEFAULT NULL,
    PRIMARY KEY (rc_id)
);
CREATE TABLE revision (
    rev_id serial,
    rev_page int NOT NULL,
    rev_text_id int NOT NULL,
    rev_comment text NOT NULL,
    rev_user int NOT NULL DEFAULT 0,
    rev_user_text varchar(255) NOT NULL DEFAULT '',
    rev_timestamp varchar(14) NOT NULL,
    rev_minor_edit smallint NOT NULL DEFAULT 0,
    rev_deleted smallint NOT NULL DEFAULT 0,
    rev_len int DEFAULT NULL,
    rev_parent_id int DEFAULT NULL,
    PRIMARY KEY (rev_id)
);
CREATE INDEX idx_rev_page ON revision (rev_page);
CREATE TABLE text (
    old_id serial,
    old_text text NOT NULL,
    old_flags varchar(30) NOT NULL,
    old_page int DEFAULT NULL,
    PRIMARY KEY (old_id)
);
CREATE TABLE user_groups (
    ug_user int NOT NULL DEFAULT 0,
    ug_group varchar(16) NOT NULL DEFAULT '',
    UNIQUE (ug_user, ug_group)
);
CREATE TABLE value_backup (
    table_name varchar(255) DEFAULT NULL,
    maxid int DEFAULT NULL
);
CREATE TABLE watchlist (
    wl_user int NOT NULL,
    wl_namespace int NOT NULL DEFAULT 0,
    wl_title varchar(255) NOT NULL DEFAULT '',
    wl_notificationtimestamp varchar(14) DEFAULT NULL,
    PRIMARY KEY (wl_user, wl_namespace, wl_title)
);

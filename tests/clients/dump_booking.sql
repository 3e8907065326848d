
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

CREATE TABLE public.rooms (
    id integer NOT NULL,
    name text NOT NULL,
    open daterange,
    CONSTRAINT rooms_open CHECK ((NOT isempty(open)))
);

ALTER TABLE public.rooms OWNER TO postgres;

CREATE TABLE public.stays (
    id integer NOT NULL,
    room_id integer NOT NULL,
    guest_id bigint,
    during tstzrange NOT NULL,
    price numeric,
    prices numrange[],
    state text DEFAULT 'new'::text
);

ALTER TABLE public.stays OWNER TO postgres;

CREATE VIEW public.busy AS
 SELECT r.name,
    s.during
   FROM (public.rooms r
     JOIN public.stays s ON ((s.room_id = r.id)))
  WHERE (s.state <> 'cancelled'::text);

ALTER TABLE public.busy OWNER TO postgres;

CREATE TABLE public.guests (
    id bigint NOT NULL,
    name text COLLATE pg_catalog."C"
);

ALTER TABLE public.guests OWNER TO postgres;

ALTER TABLE public.guests ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.guests_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE UNLOGGED TABLE public.holds (
    id integer,
    token uuid,
    "Order" text,
    "select" integer
);

ALTER TABLE public.holds OWNER TO postgres;

ALTER TABLE public.rooms ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.rooms_id_seq
    START WITH 10
    INCREMENT BY 10
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE SEQUENCE public.stays_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER TABLE public.stays_id_seq OWNER TO postgres;

ALTER SEQUENCE public.stays_id_seq OWNED BY public.stays.id;

ALTER TABLE ONLY public.stays ALTER COLUMN id SET DEFAULT nextval('public.stays_id_seq'::regclass);

COPY public.guests (id, name) FROM stdin;
1	Zoë
2	\N
3	
\.

COPY public.holds (id, token, "Order", "select") FROM stdin;
1	\N	a	2
\.

COPY public.rooms (id, name, open) FROM stdin;
10	one	[2024-01-01,2025-01-01)
20	two	\N
\.

COPY public.stays (id, room_id, guest_id, during, price, prices, state) FROM stdin;
1	10	1	["2024-01-01 14:00:00+00","2024-01-03 10:00:00+00")	12.5	{"[1,2]"}	new
2	20	\N	["2024-05-01 00:00:00+00",)	\N	\N	new
\.

SELECT pg_catalog.setval('public.guests_id_seq', 3, true);

SELECT pg_catalog.setval('public.rooms_id_seq', 20, true);

SELECT pg_catalog.setval('public.stays_id_seq', 2, true);

ALTER TABLE ONLY public.guests
    ADD CONSTRAINT guests_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.rooms
    ADD CONSTRAINT rooms_name_key UNIQUE (name);

ALTER TABLE ONLY public.rooms
    ADD CONSTRAINT rooms_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.stays
    ADD CONSTRAINT stays_pkey PRIMARY KEY (id);

CREATE INDEX stays_during ON public.stays USING gist (during);

CREATE INDEX stays_room_idx ON public.stays USING btree (room_id) INCLUDE (guest_id);

ALTER TABLE ONLY public.stays
    ADD CONSTRAINT stays_guest FOREIGN KEY (guest_id) REFERENCES public.guests(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.stays
    ADD CONSTRAINT stays_room FOREIGN KEY (room_id) REFERENCES public.rooms(id);

